import type { Sessions } from '../../src/oauth/sessions/sessions.ts';
import type { TokenSession } from '../../src/oauth/sessions/store/session-store.ts';
import { accessTokenClaims, accessTokenType } from '../../src/oauth/sessions/tokens/access-token.ts';
import { parseJson } from '../../src/platform/json-text.ts';

/** An access token of this session. The service signs in a worker thread, so it cannot return the token at once. */
export function signToken(
  { context, keys }: Sessions,
  session: TokenSession,
  scopes = parseJson(session.scopes),
): string {
  const grant = { now: context.now(), scope: scopes.join(' ') };
  return keys.signingKeys.sign(accessTokenClaims(context.config, session, grant), { typ: accessTokenType });
}
