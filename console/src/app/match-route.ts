export type RouteMatch = NonNullable<ReturnType<typeof matchRoute>>;

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Matches `:id/show/*` against a path. Without `end`, the path may be longer than the pattern. */
export function matchRoute(pattern: string, path: string, end = true) {
  const wanted = segmentsOf(pattern);
  const isOpen = wanted.at(-1) === '*';
  if (isOpen) wanted.pop();
  const found = segmentsOf(path);
  if (found.length < wanted.length || (end && !isOpen && found.length > wanted.length)) return undefined;
  const params: Record<string, string | undefined> = {};
  /** If several routes match, the one with the highest rank is used: `create` before `:id` before `*`. */
  let rank = isOpen ? 0 : 1;
  for (const [i, segment] of wanted.entries()) {
    const value = decoded(found[i] ?? '');
    if (segment.startsWith(':')) params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
    rank += segment.startsWith(':') ? 2 : 10;
  }
  if (isOpen) params['*'] = found.slice(wanted.length).join('/');
  /** The part of the path that the pattern matches, without the part for `*`. */
  const base = found.slice(0, wanted.length).map((segment) => `/${segment}`);
  return { params, base: base.join(''), rank };
}
