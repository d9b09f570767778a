/** RFC 9110 12.5.4: the languages of the header, the most preferred first. Malformed entries are ignored. */
export function readAcceptLanguage(header: string | null | undefined): string[] {
  if (!header) return [];
  const ranges = header
    .slice(0, 500)
    .split(',')
    .flatMap((entry) => {
      const [, tag, q = '1'] =
        /^\s*([a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/.exec(entry) ?? [];
      return tag === undefined || Number(q) === 0 ? [] : [{ tag, q: Number(q) }];
    });
  return ranges.sort((a, b) => b.q - a.q).map(({ tag }) => tag);
}

/** RFC 4647 3.4, lookup: `de-CH-1996` matches `de-CH`, otherwise `de`. */
export function lookUpLanguage(requested: readonly string[], available: readonly string[]): string | undefined {
  const byLowercase = new Map(available.map((tag) => [tag.toLowerCase(), tag]));
  for (const tag of requested) {
    const parts = tag.toLowerCase().split('-');
    for (let length = parts.length; length > 0; length--) {
      const match = byLowercase.get(parts.slice(0, length).join('-'));
      if (match !== undefined) return match;
    }
  }
  return undefined;
}
