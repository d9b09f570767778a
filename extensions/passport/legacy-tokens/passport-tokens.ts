import { commitAndInvalidate } from '../../../src/database/bus.ts';
import type { Context } from '../../../src/database/context.ts';
import { pruneInBatches } from '../../../src/database/prune-in-batches.ts';
import type { AccessTokenClaims, LegacyTokens } from '../../../src/oauth/sessions/tokens/access-token.ts';
import { isWithinGrace } from '../../../src/oauth/sessions/tokens/refresh-token.ts';
import { BoundedMap } from '../../../src/platform/bounded-map.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import type { RefreshPayload } from './defuse.ts';
import { legacyId } from './legacy-id.ts';
import { type LegacyClaims, looksLikeLegacyJwt, readLegacyJwt } from './legacy-jwt.ts';
import { LegacyKeys } from './legacy-keys.ts';
import {
  deleteExpired,
  deleteUnusedKeys,
  findLegacySession,
  findNewId,
  isLoginStillValid,
  type LegacySession,
  setSubjectOfLogin,
} from './legacy-token-store.ts';
import { RefreshTokenDecrypter } from './refresh-token-decrypter.ts';
import { mapScopes, readScopeMap, type ScopeMap, withOfflineAccess } from './scope-map.ts';

const rememberedSignatures = 10_000;

/** The tokens of an imported Passport service: verifies JWTs with its public key, decrypts refresh tokens with its APP_KEY. */
export class PassportTokens implements LegacyTokens {
  readonly #context: Context;
  readonly #keys: LegacyKeys;
  readonly #decrypter: RefreshTokenDecrypter;
  readonly #signatures = new BoundedMap<string, LegacyClaims>(rememberedSignatures);

  constructor(context: Context) {
    this.#context = context;
    this.#keys = new LegacyKeys(context);
    this.#decrypter = new RefreshTokenDecrypter(context);
    context.database.bus.subscribe(({ kind }) => {
      if (kind !== 'keys' && kind !== 'everything') return;
      this.#signatures.clear();
      this.#decrypter.forget();
    });
  }

  /** Ends the threads that decrypt refresh tokens. */
  close(): Promise<void> {
    return this.#decrypter.close();
  }

  async readAccess(token: string): Promise<AccessTokenClaims | 'revoked' | undefined> {
    if (!looksLikeLegacyJwt(token)) return undefined;
    const claims = await this.#verified(token);
    if (!claims) return undefined;
    const { config, database, now } = this.#context;
    // Like Passport: without tolerance for clock differences.
    if (Math.max(claims.issued, claims.notBefore) * 1000 > now()) return undefined;
    // The signature is valid, so the caller learns that the token has expired.
    if (claims.expires * 1000 <= now()) return expiredClaims(config.baseUrl, claims);
    const session = await findLegacySession(database, legacyId('access', claims.jti), now());
    if (!session || session.client_id !== claims.clientId) return 'revoked';
    // In Passport, a refresh ends the access token. Here it stays valid until the new token has arrived.
    if (session.generation > 0 && !isWithinGrace(session, 0, config, now())) return 'revoked';
    return claimsOf(config.baseUrl, claims, session);
  }

  async readRefresh(token: string, address: string | null) {
    const { appKey } = await this.#keys.current();
    const payload = appKey && (await this.#decrypter.decrypt(token, appKey, address));
    const { database, now } = this.#context;
    if (!payload || payload.expires * 1000 <= now()) return undefined;
    const session = await findLegacySession(database, legacyId('refresh', payload.refreshTokenId), now());
    if (!session || session.id !== legacyId('access', payload.accessTokenId) || session.type !== 'session') {
      return undefined;
    }
    const isNameless = session.user_id === null && session.client_id === null;
    if (isNameless && !(await this.#name(session, payload))) return undefined;
    if (!isNameless && session.client_id !== payload.clientId) return undefined;
    return { sessionId: session.id, generation: 0 };
  }

  readScopes(): Promise<ScopeMap> {
    return readScopeMap(this.#context.database.db);
  }

  /** Removes expired tokens of the old service. With the last token, the keys are removed too. */
  async prune(): Promise<void> {
    const { database, log, now } = this.#context;
    await pruneInBatches(this.#context, (limit) => deleteExpired(database.db, now(), limit));
    const forgotten = await commitAndInvalidate(database, async (tx, invalidate) => {
      const keys = await deleteUnusedKeys(tx);
      if (keys > 0) invalidate({ kind: 'keys', id: 'legacy' });
      return keys;
    });
    if (forgotten > 0) log.info('the last token of the earlier service has expired; its keys are deleted');
  }

  /** Cached: the result changes only with the keys. */
  async #verified(token: string): Promise<LegacyClaims | undefined> {
    const { publicKey } = await this.#keys.current();
    if (!publicKey) return undefined;
    const cached = this.#signatures.get(token);
    if (cached) return cached;
    const claims = readLegacyJwt(token, publicKey);
    if (claims) this.#signatures.set(token, claims);
    return claims;
  }

  /** `passport:purge` deletes access tokens long before their refresh tokens. Then only the refresh token names the user. */
  async #name(session: LegacySession, { clientId, userId: oldId, scopes }: RefreshPayload): Promise<boolean> {
    const { db } = this.#context.database;
    const table = await findNewId(db, 'oauth_clients.provider', clientId);
    const client = table === undefined ? undefined : await findNewId(db, 'oauth_clients', clientId);
    if (table === undefined || client === undefined) return false;
    const userId = oldId === null ? null : await findNewId(db, table, oldId);
    if (userId === undefined) return false;
    if (userId !== null && !(await isLoginStillValid(db, userId, session.created_at))) return false;
    const type = await findNewId(db, 'oauth_clients.type', clientId);
    const hasUser = userId !== null;
    const mapped = mapScopes(await readScopeMap(db), scopes, { isFirstParty: type === 'password', hasUser });
    const sessionScopes = withOfflineAccess(type, mapped.scopes, hasUser);
    try {
      await setSubjectOfLogin(db, { id: session.id, userId, clientId: client, scopes: JSON.stringify(sessionScopes) });
    } catch (error) {
      this.#context.log.info({ err: error }, 'a login could not be imported: its user or client no longer exists');
      return false;
    }
    return true;
  }
}

/** In whole seconds. These tokens have no issuer, so the issuer is this service. */
const expiredClaims = (iss: string, claims: LegacyClaims): AccessTokenClaims => ({
  iss,
  aud: claims.clientId,
  sub: '',
  client_id: claims.clientId,
  exp: Math.floor(claims.expires),
  iat: Math.floor(claims.issued),
  jti: claims.jti,
  scope: '',
  sid: '',
  gen: 0,
});

const claimsOf = (iss: string, claims: LegacyClaims, session: LegacySession): AccessTokenClaims => ({
  ...expiredClaims(iss, claims),
  sub: session.user_id ?? session.client_id ?? '',
  scope: parseJson(session.scopes).join(' '),
  sid: session.id,
});
