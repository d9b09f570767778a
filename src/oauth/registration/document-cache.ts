const shortest = 300;
const longest = 86_400;
const otherwise = 3600;

/** How many seconds a description may be taken for true (RFC 9111 5.2.2), within bounds that keep both sides calm. */
export function secondsFresh(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.some((part) => part === 'no-store' || part === 'no-cache' || part.startsWith('no-cache=')))
    return shortest;
  const maxAge = directives
    .map((part) => /^max-age="?(\d{1,10})"?$/.exec(part)?.[1])
    .find((text) => text !== undefined);
  if (maxAge === undefined) return otherwise;
  return Math.min(Math.max(Number(maxAge), shortest), longest);
}
