const nowhere = 'http://nowhere.invalid';

/** An authorization request is carried through the login page. */
const longest = 8000;

/**
 * The path where a browser may be sent, if it is one of this service; else undefined. A browser reads `//host`, `/\host`
 * and (after it drops tabs and newlines) `/<tab>/host` as another host, and a proxy in between may decode `%2f` first.
 */
export function localPath(candidate: unknown): string | undefined {
  if (typeof candidate !== 'string' || candidate.length > longest) return undefined;
  // Printable ASCII only, beginning with exactly one slash; anything else arrives percent-encoded in an honest URL.
  if (!/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(candidate)) return undefined;
  if (/%(0[0-9a-f]|1[0-9a-f]|7f|5c)/i.test(candidate) || /^\/+%2f/i.test(candidate)) return undefined;
  if (!URL.canParse(candidate, nowhere)) return undefined;
  const { origin, pathname, search } = new URL(candidate, nowhere);
  // Dots are resolved by now: `/.//host` has become `//host`.
  if (origin !== nowhere || pathname.startsWith('//') || /^\/%2f/i.test(pathname)) return undefined;
  return pathname + search;
}
