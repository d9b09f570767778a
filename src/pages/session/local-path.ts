const placeholderOrigin = 'http://nowhere.invalid';

/** Long enough for an authorization request, which the login page carries. */
const maxLength = 8000;

/** A path of this service, or undefined. Browsers read `//host`, `/\host` and `/<tab>/host` as another host. */
export function localPath(candidate: unknown): string | undefined {
  if (typeof candidate !== 'string' || candidate.length > maxLength) return undefined;
  // Printable ASCII only, beginning with exactly one slash. Valid URLs percent-encode all other characters.
  if (!/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(candidate)) return undefined;
  if (/%(0[0-9a-f]|1[0-9a-f]|7f|5c)/i.test(candidate) || /^\/+%2f/i.test(candidate)) return undefined;
  if (!URL.canParse(candidate, placeholderOrigin)) return undefined;
  const { origin, pathname, search } = new URL(candidate, placeholderOrigin);
  // Dots are already resolved: `/.//host` has become `//host`.
  if (origin !== placeholderOrigin || pathname.startsWith('//') || /^\/%2f/i.test(pathname)) return undefined;
  return pathname + search;
}

/** `?next=…` for a link that continues to the user's destination. */
export const nextQuery = (next: string | undefined): string => (next ? `?next=${encodeURIComponent(next)}` : '');
