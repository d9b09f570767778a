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
  const patternSegments = segmentsOf(pattern);
  const isOpen = patternSegments.at(-1) === '*';
  if (isOpen) patternSegments.pop();
  const pathSegments = segmentsOf(path);
  if (pathSegments.length < patternSegments.length || (end && !isOpen && pathSegments.length > patternSegments.length))
    return undefined;
  const params: Record<string, string | undefined> = {};
  /** If several routes match, the one with the highest rank is used: `create` before `:id` before `*`. */
  let rank = isOpen ? 0 : 1;
  for (const [i, segment] of patternSegments.entries()) {
    const value = decoded(pathSegments[i] ?? '');
    if (segment.startsWith(':')) params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
    rank += segment.startsWith(':') ? 2 : 10;
  }
  if (isOpen) params['*'] = pathSegments.slice(patternSegments.length).join('/');
  /** The part of the path that the pattern matches, without the part for `*`. */
  const base = pathSegments.slice(0, patternSegments.length).map((segment) => `/${segment}`);
  return { params, base: base.join(''), rank };
}
