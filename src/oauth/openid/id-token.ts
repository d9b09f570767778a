import { createHash } from 'node:crypto';
import { idTokenAlgorithm } from '../../database/keys/make-keys.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { OAuthError } from '../../platform/errors.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { openidScope } from '../clients/scopes/scopes.ts';
import type { OAuth } from '../oauth.ts';
import { readDetails } from '../sessions/store/grant-details.ts';
import { authenticationOf, type TokenSession } from '../sessions/store/session-store.ts';
import { accessTokenExpiry } from '../sessions/tokens/access-token.ts';
import { claimsOf } from './claims.ts';

/** RFC 7519 5.1. Access tokens and logout tokens have other types, so that the kinds cannot be confused. */
const idTokenType = 'JWT';

/** The claims of an ID token that userinfo does not return (OpenID Connect Core 2, Back-Channel Logout 2.1). */
export const idTokenClaims: readonly string[] = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid'],
];

interface Login {
  readonly client: Pick<StoredClient, 'id' | 'type' | 'id_token_claims' | 'id_token_signed_response_alg'>;
  readonly session: TokenSession;
  readonly scopes: readonly string[];
  readonly accessToken: string;
  /** The nonce of the authorization request. Not repeated at a refresh (OpenID Connect Core 12.2). */
  readonly nonce?: string | undefined;
}

/** The ID token of a login at an application. Undefined without a user, or without the scope `openid`. */
export async function idToken({ context, keys }: OAuth, login: Login): Promise<string | undefined> {
  const { client, session, scopes, accessToken, nonce } = login;
  if (client.type !== 'application' || session.user_id === null || !scopes.includes(openidScope)) return undefined;
  const { config } = context;
  const user = await findUser(context.database.db, session.user_id);
  if (!user) throw new OAuthError('invalid_grant', 'The user no longer exists.');
  const now = context.now();
  const authentication = authenticationOf(session);
  return keys.signingKeys.signOnThread(
    (algorithm) => ({
      ...claimsOf(user, client.id_token_claims ? scopes : [], readDetails(session.details).claims?.id_token),
      iss: config.baseUrl,
      aud: client.id,
      exp: accessTokenExpiry(session, config, now),
      iat: Math.floor(now / 1000),
      ...(authentication
        ? { auth_time: Math.floor(authentication.time / 1000), acr: authentication.acr, amr: authentication.amr }
        : undefined),
      ...(nonce === undefined ? undefined : { nonce }),
      at_hash: atHash(accessToken, algorithm),
      sid: session.id,
    }),
    { typ: idTokenType, algorithm: client.id_token_signed_response_alg ?? idTokenAlgorithm },
  );
}

/** OpenID Connect Core 3.1.3.6: the left half of the hash that the signature uses; Ed25519 uses SHA-512. */
function atHash(accessToken: string, algorithm: string): string {
  const digest = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(accessToken)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/** OpenID Connect RP-Initiated Logout 2: the token and the key that signed it may have expired. */
export async function readIdTokenHint({ keys }: OAuth, token: string) {
  const options = { typ: idTokenType, includeRetired: true };
  await keys.ensureCurrent();
  let claims = keys.signingKeys.verify(token, options);
  if (claims === 'unknown-key') {
    await keys.reloadIfOld();
    claims = keys.signingKeys.verify(token, options);
  }
  if (typeof claims === 'string' || !keys.isOwnIssuer(claims.iss)) return undefined;
  const { sub: userId, aud: clientId, sid: sessionId } = claims;
  const isComplete = typeof userId === 'string' && typeof clientId === 'string' && typeof sessionId === 'string';
  return isComplete ? { userId, clientId, sessionId } : undefined;
}
