import type { Context } from '../../database/context.ts';
import type { Database, Db, Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { isRefreshable } from '../clients/may-use-grant.ts';
import { openidScope } from '../clients/scopes/scopes.ts';
import { type ApplicationLogin, insertLogin } from './store/application-login-store.ts';
import type { Authentication } from './store/authentication.ts';
import { type GrantDetails, storedDetails } from './store/grant-details.ts';
import { findScopes, handOverSession, insertSession } from './store/new-session-store.ts';
import { type SessionRow, type StoredSession, sessionEnd, shortenSessions } from './store/session-store.ts';
import {
  accessTokenExpiry,
  signAccessToken,
  signAccessTokenInWorker,
  type TokenClaims,
  type TokenGrant,
} from './tokens/access-token.ts';
import type { LegacyTokens } from './tokens/legacy-tokens.ts';
import { makeRefreshToken } from './tokens/refresh-token.ts';

export interface NewSession {
  readonly type?: SessionRow['type'];
  readonly userId?: string | null;
  readonly clientId?: string | null;
  /** By which the client proved who it is: without it the session is not stored. */
  readonly secretId?: string | undefined;
  readonly name?: string | null;
  readonly scopes: readonly string[];
  /** How the user proved who they are: for the password it was now, for an application at the login before. */
  readonly authentication?: Authentication | null;
  /** Where somebody signs in to an application: the browser's session, or null on a device without one. */
  readonly login?: { readonly id: string | null } | undefined;
  /** The audiences of access tokens (RFC 8707). Empty: the service itself. */
  readonly resource?: readonly string[];
  readonly details?: GrantDetails;
  /** False: it ends with its first access token. */
  readonly refreshable?: boolean;
  /** Default: the TTL of a refresh token, or of a personal access token. */
  readonly expiresAt?: number | undefined;
  /** The value of a personal access token is shown at once. */
  readonly revealed?: boolean;
  readonly source: RequestSource;
}

/** Tells applications of logins that end, in the transaction that ends them. */
export type NotifyApplications = (
  tx: Tx,
  logins: readonly ApplicationLogin[],
  /** By client id: where the client wants to be told. */
  addresses: ReadonlyMap<string, string>,
) => Promise<void>;

export const scopesOfSession = ({ scopes }: Pick<SessionRow, 'scopes'>): readonly string[] => parseJson(scopes);

const dbOf = (on: Database | Tx): Db | Tx => ('engine' in on ? on.db : on);

const loginOf = (session: SessionRow, loginId: string | null): ApplicationLogin => ({
  session_id: session.id,
  login_id: loginId,
  user_id: session.user_id as string,
  client_id: session.client_id as string,
  created_at: session.created_at,
});

/**
 * Sessions: logins of a user through a client, of a client, and personal access tokens. One row each; tokens have none.
 * `endSessions` and `refreshSession` take it as their first argument. `TokenVerifier` finds the session of a token.
 */
export class Sessions {
  readonly context: Context;
  readonly keys: KeyRing;
  readonly legacyTokens: LegacyTokens;
  readonly notify: NotifyApplications;

  constructor(context: Context, keys: KeyRing, legacyTokens: LegacyTokens, notify: NotifyApplications) {
    this.context = context;
    this.keys = keys;
    this.legacyTokens = legacyTokens;
    this.notify = notify;
  }

  /** Alone, or in a transaction. The row is known at once, so that a token can be signed meanwhile. */
  open(on: Database | Tx, { source, authentication, resource, login, ...session }: NewSession): StoredSession {
    const { config, now } = this.context;
    const at = now();
    const type = session.type ?? 'session';
    const loginTtl = session.refreshable === false ? config.accessTokenTtl : config.refreshTokenTtl;
    const ttlSeconds = type === 'personal' ? config.personalTokenTtl : loginTtl;
    const expires_at = session.expiresAt ?? at + ttlSeconds * 1000;
    const row: SessionRow = {
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
      address: source.address,
      user_agent: source.userAgent,
      auth_time: authentication?.time ?? null,
      amr: authentication ? JSON.stringify(authentication.amr) : null,
      acr: authentication?.acr ?? null,
      resource: resource?.length ? JSON.stringify(resource) : null,
      details: session.details ? storedDetails(session.details) : null,
      token_hash: null,
      version: 1,
    };
    const stored = insertSession(on, row, session.secretId ?? null);
    const isLogin = login !== undefined && session.scopes.includes(openidScope);
    const durable = isLogin ? stored.then(() => insertLogin(dbOf(on), loginOf(row, login.id))) : stored;
    // A caller that waits for it gets the error. A caller that has failed already has its own error.
    durable.catch(() => undefined);
    return { session: row, durable };
  }

  /** A session that a person opened for a device, given to the device: its time begins now. */
  async handOver(
    tx: Tx,
    client: Pick<StoredClient, 'type' | 'grantTypes'>,
    id: string,
    { address, userAgent }: RequestSource,
  ): Promise<SessionRow | undefined> {
    const { config, now } = this.context;
    const waiting = await findScopes(tx, id);
    if (!waiting) return undefined;
    const at = now();
    const refreshable = isRefreshable(client, scopesOfSession(waiting));
    const expires_at = at + (refreshable ? config.refreshTokenTtl : config.accessTokenTtl) * 1000;
    const expiresAt = sessionEnd({ type: 'session', created_at: at, expires_at }, config);
    return handOverSession(tx, { id, now: at, expiresAt, address, userAgent });
  }

  /** Signed with others by another thread. A transaction must not wait for it. `scopes`, `audience`: less than the session's. */
  accessToken(
    session: SessionRow,
    scopes = scopesOfSession(session),
    audience?: readonly string[],
    claims?: TokenClaims,
  ): Promise<string> {
    const grant = { ...this.#grantOf(scopes), audience, claims };
    return signAccessTokenInWorker(this.keys, this.context.config, session, grant);
  }

  /** The same at once: for a transaction, which must not wait. */
  accessTokenNow(session: SessionRow, scopes = scopesOfSession(session)): string {
    return signAccessToken(this.keys, this.context.config, session, this.#grantOf(scopes));
  }

  #grantOf(scopes: readonly string[]): TokenGrant {
    return { now: this.context.now(), scope: scopes.join(' ') };
  }

  /** Of an access token made now, in seconds. */
  accessTokenTtl(session: SessionRow): number {
    const { config, now } = this.context;
    const at = now();
    return accessTokenExpiry(session, config, at) - Math.floor(at / 1000);
  }

  refreshToken(session: Pick<SessionRow, 'id' | 'generation'>): string {
    return makeRefreshToken(this.keys, session);
  }

  /** At the start: the setting may have been longer when the sessions of today began. */
  async keepToMaxAge(): Promise<void> {
    const { config, database } = this.context;
    if (config.sessionMaxAge > 0) await shortenSessions(database.db, config.sessionMaxAge * 1000);
  }
}
