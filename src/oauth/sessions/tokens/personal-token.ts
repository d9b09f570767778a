import type { Config } from '../../../config/config.ts';
import type { Database, Tx } from '../../../database/database.ts';
import { parseJson } from '../../../platform/json-text.ts';
import { createShortToken, hashShortToken, shortTokenKind } from '../../../platform/short-token.ts';
import { findByTokenHash, setTokenHash } from '../store/token-hash-store.ts';
import { type AccessTokenClaims, noClient } from './access-token.ts';

/** Replaces the value of a personal access token. The new value is returned once and not stored. */
export async function renewPersonalToken(tx: Tx, sessionId: string): Promise<string> {
  const token = createShortToken('pat');
  await setTokenHash(tx, sessionId, hashShortToken(token));
  return token;
}

/** The session of a personal access token, as access token claims. */
export async function readPersonalToken(
  { config, database }: { readonly config: Config; readonly database: Database },
  token: string,
): Promise<AccessTokenClaims | undefined> {
  const session = shortTokenKind(token) === 'pat' ? await findByTokenHash(database, hashShortToken(token)) : undefined;
  if (!session) return undefined;
  return {
    iss: config.baseUrl,
    aud: config.baseUrl,
    sub: session.user_id as string,
    client_id: noClient,
    exp: Math.floor(session.expires_at / 1000),
    iat: Math.floor(session.created_at / 1000),
    jti: session.id,
    scope: parseJson(session.scopes).join(' '),
    sid: session.id,
    gen: session.generation,
  };
}
