import type { Config } from '../../../config/config.ts';
import type { Context } from '../../../database/context.ts';
import type { Database, Tx } from '../../../database/database.ts';
import { type RequestSource, systemSource } from '../../../http/request-source.ts';
import { parseJson } from '../../../platform/json-text.ts';
import { createShortToken, hashShortToken, shortTokenKind } from '../../clients/secrets/short-token.ts';
import type { NewSession, Sessions } from '../sessions.ts';
import { findByTokenHash, markRevealed, setTokenHash } from '../store/session-store.ts';
import { type AccessTokenClaims, noClient } from '../tokens/access-token.ts';

type NewPersonalToken = Omit<NewSession, 'type' | 'source'> & { readonly source?: RequestSource };

/** Creates a personal access token, without a client. Its value is made when the owner reveals it. */
export async function issuePersonalToken(executor: Database | Tx, sessions: Sessions, token: NewPersonalToken) {
  const { session, durable } = sessions.open(executor, { source: systemSource, ...token, type: 'personal' });
  await durable;
  return session;
}

/** The value of a token, the first time its owner asks. Undefined at later calls and for other users. */
export async function revealPersonalToken({ now }: Context, tx: Tx, { id, userId }: { id: string; userId: string }) {
  const session = await markRevealed(tx, id, userId, now());
  return session && { session, accessToken: await renewPersonalToken(tx, session.id) };
}

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
