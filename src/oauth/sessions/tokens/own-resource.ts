import type { AccessTokenClaims } from './access-token.ts';

/** The API's path under the service's address. Other resources of its own have other paths. */
export const apiPath = '/v1';

/** The paths of this service that a token is for: an empty one is the service itself, as tokens are that name no resource. */
export function ownPathsOf({ iss, aud }: Pick<AccessTokenClaims, 'iss' | 'aud'>): readonly string[] {
  if (aud === iss) return itself;
  return [aud].flat().flatMap((uri) => (uri.startsWith(iss) ? [uri.slice(iss.length)] : []));
}

const itself: readonly string[] = [''];

/** A token for the service itself is valid for the API, not for resources that were added to it. */
export const isForPath = (paths: readonly string[], path: string): boolean =>
  paths.includes(path) || (path === apiPath && paths.includes(''));
