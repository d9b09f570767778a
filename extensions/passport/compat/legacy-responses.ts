import type { Config } from '../../../src/config/config.ts';
import { OAuthError } from '../../../src/platform/errors.ts';
import { asObject, isObject } from '../../../src/platform/is-object.ts';

type Compat = Config['compat'];

/** Apiato 12 and 13 put the tokens of their proxies into the envelope of a resource. */
export function wrapTokens(compat: Compat, tokens: unknown): unknown {
  const kind =
    compat === 'apiato12' ? { object: 'Token' } : compat === 'apiato13' ? { type: 'PasswordToken' } : undefined;
  return kind ? { data: { ...kind, ...asObject(tokens) }, meta: { include: [], custom: [] } } : tokens;
}

/** Passport's error for a rejected refresh token. Before version 13, it was `invalid_request`. */
export function rejectedRefresh(compat: Compat, error: unknown): { status: number; body: object } | undefined {
  if (!(error instanceof OAuthError) || error.error !== 'invalid_grant') return undefined;
  const description = 'The refresh token is invalid.';
  const hint = 'Token has been revoked';
  if (compat === 'apiato13') {
    return { status: 400, body: { error: 'invalid_grant', error_description: description, hint } };
  }
  return {
    status: 401,
    body: { error: 'invalid_request', error_description: description, hint, message: description },
  };
}

/** Whether the body of a token request asks for a refresh. */
export const isRefreshRequest = (body: unknown): boolean => asObject(body).grant_type === 'refresh_token';

/** JSON bodies may contain `client_id: 2`. Converts numbers to text, as in a form. */
export function numbersToText(body: unknown): void {
  if (!isObject(body)) return;
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === 'number' && Number.isFinite(value)) body[name] = String(value);
  }
}
