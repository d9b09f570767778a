import type { Caller } from '../caller.ts';
import { unknownClient } from '../clients/unknown-client.ts';
import type { Context } from '../context.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Change } from '../database/bus.ts';
import { isForeignKeyViolation } from '../database/constraint-errors.ts';
import type { Db, Tx } from '../database/database.ts';
import { uuidv7 } from '../database/uuid.ts';
import { OAuthError } from '../errors.ts';
import type { RequestSource } from '../http/request-source.ts';
import { unauthorized } from '../http/unauthorized.ts';
import {
  type AccessTokenClaims,
  accessTokenExpiry,
  readAccessToken,
  signAccessToken,
  signAccessTokenInWorker,
  signUnsentToken,
} from './access-token.ts';
import { noteFirstUse } from './first-use.ts';
import { type ForeignTokens, noForeignTokens } from './foreign-tokens.ts';
import { LastUses, type Sender } from './last-uses.ts';
import { insertSession, storeSession } from './new-session-store.ts';
import { pruneSessions } from './prune-sessions.ts';
import { makeRefreshToken, readRefreshToken } from './refresh-token.ts';
import { rotate } from './rotate.ts';
import { sessionEnd } from './session-end.ts';
import {
  findSessionOfEnabled,
  revokeSessions,
  type SessionRow,
  type SessionsOf,
  shortenSessions,
} from './session-store.ts';
import { TokenCache } from './token-cache.ts';
import { verifyAccessToken } from './verify-access-token.ts';

export interface NewSession {
  readonly type?: SessionRow['type'];
  readonly userId?: string | null;
  readonly clientId?: string | null;
  readonly name?: string | null;
  readonly scopes: readonly string[];
  /** Default: the life of a refresh token, or of a personal access token. */
  readonly expiresAt?: number | undefined;
  /** The value of a personal access token is shown at once. */
  readonly revealed?: boolean;
  readonly origin: RequestSource;
}

/** A session with an access token for it, and the scopes that token has. */
export interface OpenedSession {
  readonly session: SessionRow;
  readonly scopes: readonly string[];
  readonly accessToken: string;
}

const scopesOfSession = ({ scopes }: SessionRow): readonly string[] => JSON.parse(scopes) as string[];

const hit = { result: 'hit' };
const miss = { result: 'miss' };
const cachedTokens = 50_000;
const cachedSignatures = 10_000;

/** Logins: of a user through a client, of a client, or a personal access token. One row each; tokens have none. */
export class Sessions {
  readonly #context: Context;
  readonly #keys: KeyRing;
  readonly #foreign: ForeignTokens;
  readonly #cache = new TokenCache(cachedTokens);
  readonly #signatures = new Map<string, AccessTokenClaims>();
  readonly #lastUses: LastUses;

  constructor(context: Context, keys: KeyRing, foreign: ForeignTokens) {
    this.#context = context;
    this.#keys = keys;
    this.#foreign = foreign;
    this.#lastUses = new LastUses(context);
    context.database.bus.subscribe((change) => this.#cache.forget(change));
    keys.onChange(() => {
      this.#cache.forget({ kind: 'everything', id: '' });
      this.#signatures.clear();
    });
  }

  async open(db: Db | Tx, session: NewSession): Promise<SessionRow> {
    const row = this.#draft(session);
    await insertSession(db, row).catch(refuseStrangers(session));
    return row;
  }

  /**
   * Opens a session and signs its first access token, both at once: another thread signs while the row is brought to
   * disk. Outside of transactions, which must not wait for threads. `secretId`: by which the client proved who it is.
   */
  async openWithToken(session: NewSession, secretId?: string): Promise<OpenedSession> {
    const row = this.#draft(session);
    const signing = this.accessTokenInWorker(row, session.scopes);
    const storing = storeSession(this.#context.database, row, secretId ?? null).catch(refuseStrangers(session));
    const [accessToken, stored] = await Promise.all([signing, storing]);
    if (!stored) throw unknownClient('the secret ended meanwhile');
    return { session: row, scopes: session.scopes, accessToken };
  }

  #draft(session: NewSession): SessionRow {
    const { config, now } = this.#context;
    const at = now();
    const type = session.type ?? 'session';
    const life = type === 'personal' ? config.personalTokenTtl : config.refreshTokenTtl;
    const expires_at = session.expiresAt ?? at + life * 1000;
    return {
      id: uuidv7(at),
      type,
      user_id: session.userId ?? null,
      client_id: session.clientId ?? null,
      name: session.name ?? null,
      scopes: JSON.stringify(session.scopes),
      generation: 0,
      rotated_at: null,
      rotated_address: null,
      used_generation: null,
      used_at: null,
      retried_generation: null,
      created_at: at,
      expires_at: sessionEnd({ type, created_at: at, expires_at }, config),
      revoked_at: null,
      revealed_at: type === 'personal' && session.revealed ? at : null,
      last_used_at: null,
      address: session.origin.address,
      user_agent: session.origin.userAgent,
      version: 1,
    };
  }

  /** `scopes`: fewer than the session's, for this one token. */
  accessToken(session: SessionRow, scopes = scopesOfSession(session)): string {
    const { config, now } = this.#context;
    return signAccessToken(this.#keys, config, session, { now: now(), scope: scopes.join(' ') });
  }

  /** The same, signed by another thread. */
  accessTokenInWorker(session: SessionRow, scopes: readonly string[]): Promise<string> {
    const { config, now } = this.#context;
    return signAccessTokenInWorker(this.#keys, config, session, { now: now(), scope: scopes.join(' ') });
  }

  /** The life of an access token made now, in seconds. */
  accessTokenLife(session: SessionRow): number {
    const { config, now } = this.#context;
    const at = now();
    return accessTokenExpiry(session, config, at) - Math.floor(at / 1000);
  }

  refreshToken(session: Pick<SessionRow, 'id' | 'generation'>): string {
    return makeRefreshToken(this.#keys, session);
  }

  /**
   * The session in its next generation (or, for a retry, in the one that the first attempt brought it to), and an access
   * token for it, signed while the rotation is brought to disk. `scopesOf` says which scopes that token gets.
   */
  async rotate(
    refresh: { refreshToken: string; clientId: string; secretId?: string | undefined; origin: RequestSource },
    scopesOf = scopesOfSession,
  ): Promise<OpenedSession> {
    let signing: Promise<string> | undefined;
    const tokens = { keys: this.#keys, foreign: this.#foreign };
    const session = await rotate(this.#context, tokens, refresh, (row) => {
      signing = (async () => this.accessTokenInWorker(row, scopesOf(row)))();
      // Whether anybody waits for it depends on the rotation.
      signing.catch(() => undefined);
    });
    const scopes = scopesOf(session);
    return { session, scopes, accessToken: await (signing ?? this.accessTokenInWorker(session, scopes)) };
  }

  /** Ends sessions; the caller commits, and records why. Returns how many were live. */
  async end(tx: Tx, tell: (change: Change) => void, of: SessionsOf, cause: string): Promise<number> {
    const ended = await revokeSessions(tx, of, this.#context.now());
    if ('userId' in of) tell({ kind: 'user', id: of.userId });
    else if ('clientId' in of) tell({ kind: 'client', id: of.clientId });
    else tell({ kind: 'session', id: of.sessionId });
    this.#context.metrics.revocations.inc({ cause }, ended.length);
    return ended.length;
  }

  /** Who presents this access token. A token known to be good is answered at once; the 401 says why one is not. */
  verify(token: string, sender: Sender | null): Caller | Promise<Caller> {
    // Asked first: it may find that another process changed something, and empty the cache.
    const trusted = this.#context.database.bus.trusted();
    const known = trusted ? this.#cache.get(token) : undefined;
    if (!known) return this.#verifySlowly(token, sender, trusted);
    const now = this.#context.now();
    if (now >= known.expiresAt) {
      this.#cache.delete(token);
      throw unauthorized('token_expired');
    }
    this.#context.metrics.tokenLookups.inc(hit);
    this.#lastUses.note(known.sessionId, now, sender);
    return known.caller;
  }

  /** The session that an access token or a refresh token belongs to, if it is live: for revocation and introspection. */
  async find(token: string): Promise<FoundToken | undefined> {
    const { config, database, now } = this.#context;
    const refresh = readRefreshToken(this.#keys, token) ?? (await this.#foreign.readRefresh(token, null));
    const access = refresh ? undefined : await this.#claims(token);
    const sessionId = refresh?.sessionId ?? access?.sid;
    if (!sessionId) return undefined;
    const session = await findSessionOfEnabled(database, sessionId);
    if (!session || session.revoked_at !== null) return undefined;
    session.expires_at = sessionEnd(session, config);
    if (session.expires_at <= now()) return undefined;
    if (access) return access.exp * 1000 > now() ? { kind: 'access', session, claims: access } : undefined;
    return refresh && session.type === 'session'
      ? { kind: 'refresh', session, generation: refresh.generation }
      : undefined;
  }

  /** A resource server that asks about an access token acts on the answer: that is a use of the token. */
  async noteIntrospection({ session, claims }: FoundToken & { kind: 'access' }): Promise<void> {
    await noteFirstUse(this.#context, claims, session);
  }

  /** An access token for what is done before the answer that brings `token` has left: no use of `token`. */
  async unsentToken(token: string): Promise<string | undefined> {
    const claims = await this.#claims(token);
    return claims && signUnsentToken(this.#keys, claims, this.#context.now());
  }

  /** Checking a signature takes longer than making one, and its result changes only with the keys. */
  async #claims(token: string): Promise<AccessTokenClaims | undefined> {
    const { database } = this.#context;
    const trusted = database.bus.trusted();
    const known = trusted ? this.#signatures.get(token) : undefined;
    if (known) return known;
    const { epoch } = this.#cache;
    const claims = await readAccessToken(this.#keys, token);
    if (!claims) return this.#foreignClaims(token);
    if (trusted && epoch === this.#cache.epoch) {
      if (this.#signatures.size >= cachedSignatures) this.#signatures.clear();
      this.#signatures.set(token, claims);
    }
    return claims;
  }

  async #foreignClaims(token: string): Promise<AccessTokenClaims | undefined> {
    const claims = await this.#foreign.readAccess(token);
    return claims === 'revoked' ? undefined : claims;
  }

  /** At the start: the setting may have been longer when the sessions of today began. */
  async keepToMaxAge(): Promise<void> {
    const { config, database } = this.#context;
    if (config.sessionMaxAge > 0) await shortenSessions(database.db, config.sessionMaxAge * 1000);
  }

  /** Removes what ended, in small batches. */
  prune(): Promise<number> {
    return pruneSessions(this.#context);
  }

  /** Writes the last uses that were collected. */
  flush(): Promise<void> {
    return this.#lastUses.flush();
  }

  async #verifySlowly(token: string, sender: Sender | null, trusted: boolean): Promise<Caller> {
    this.#context.metrics.tokenLookups.inc(miss);
    // Read now: once the caller has hung up, nobody knows the address any more.
    const from = sender && { ip: sender.ip };
    const { epoch } = this.#cache;
    const verified = await verifyAccessToken(this.#context, this.#keys, this.#foreign, token);
    if (trusted && verified.lasting !== false) this.#cache.keep(token, verified, epoch);
    this.#lastUses.note(verified.sessionId, this.#context.now(), from);
    return verified.caller;
  }
}

/** Whoever opens a session for a user holds the user: of the two it is the client that is gone. */
const refuseStrangers =
  ({ clientId }: NewSession) =>
  (error: unknown): never => {
    if (!isForeignKeyViolation(error)) throw error;
    if (clientId) throw unknownClient('the client was deleted meanwhile');
    throw new OAuthError('invalid_grant', 'The user no longer exists.');
  };

export type FoundToken =
  | { readonly kind: 'access'; readonly session: SessionRow; readonly claims: AccessTokenClaims }
  | { readonly kind: 'refresh'; readonly session: SessionRow; readonly generation: number };

export const createSessions = (context: Context, keys: KeyRing, foreign = noForeignTokens): Sessions =>
  new Sessions(context, keys, foreign);
