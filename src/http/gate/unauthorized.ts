import { type Caller, hasScope, type RequiredScope } from '../../platform/caller.ts';
import { Problem } from '../../platform/errors.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** RFC 9728 3.1: the address of the metadata of the resource at this path. */
export function resourceMetadataPath(baseUrl: string, path: string): string {
  return wellKnown + new URL(baseUrl).pathname.replace(/\/$/, '') + path;
}

/** RFC 9728 5.1: the parameter of a challenge that tells a client where to get a token. */
export const resourceMetadataHint = (baseUrl: string, path = '/v1'): string =>
  `, resource_metadata="${new URL(baseUrl).origin}${resourceMetadataPath(baseUrl, path)}"`;

const reasons = {
  token_missing: 'This needs an access token: send "Authorization: Bearer <ACCESS_TOKEN>".',
  token_malformed:
    'The value is not an access token of this service, or the token is for another address of the service.',
  token_expired: 'The access token has expired: refresh it, or log in again.',
  token_revoked: 'The access token was revoked: log in again.',
  client_revoked: 'The client of the access token no longer exists.',
  user_gone: 'The user of the access token no longer exists, or is disabled.',
} as const;

type UnauthorizedCode = keyof typeof reasons;

/** RFC 6750 3: a challenge, with `invalid_token` only if the request had a token. */
export function unauthorized(code: UnauthorizedCode, reason?: string, detail: string = reasons[code]): Problem {
  const challenge =
    code === 'token_missing'
      ? 'Bearer realm="gatehouse"'
      : `Bearer realm="gatehouse", error="invalid_token", error_description="${detail.replaceAll('"', "'")}"`;
  return new Problem(401, 'Unauthorized', detail, {
    code,
    headers: { 'WWW-Authenticate': challenge },
    ...(reason ? { reason } : {}),
  });
}

/** RFC 6750 3.1. `scope`: the required scopes, separated by spaces. */
export function insufficientScope(scope: string): Problem {
  const lacks = scope.includes(' ') ? 'lacks at least one of the required scopes' : 'does not have the required scope';
  return new Problem(403, 'Forbidden', `The access token ${lacks} "${scope}".`, {
    code: 'insufficient_scope',
    headers: { 'WWW-Authenticate': `Bearer realm="gatehouse", error="insufficient_scope", scope="${scope}"` },
  });
}

export function requireScope(caller: Caller, required: RequiredScope | undefined): void {
  if (required === undefined) return;
  // Nearly every route needs one scope. This runs for each request, so it creates no list.
  const isGranted =
    typeof required === 'string' ? hasScope(caller, required) : required.every((scope) => hasScope(caller, scope));
  if (!isGranted) throw insufficientScope([required].flat().join(' '));
}
