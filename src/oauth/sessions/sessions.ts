import type { Context } from '../../database/context.ts';
import type { Database, Db, Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { findUser, rolesOf } from '../../identity/accounts/user-store.ts';
import { type JsonText, parseJson } from '../../platform/json-text.ts';
import { isRefreshable, limitByRoles } from '../clients/client-rules.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { openidScope } from '../clients/scopes/scopes.ts';
import { type ApplicationLogin, insertLogin } from './store/application-login-store.ts';
import { type GrantDetails, readDetails, storedDetails } from './store/grant-details.ts';
import { activateSessionForDevice, findScopes, insertSession } from './store/new-session-store.ts';
import {
  type Authentication,
  type SessionRow,
  type StoredSession,
  sessionEnd,
  shortenSessions,
  type TokenSession,
} from './store/session-store.ts';
import {
  accessTokenClaims,
  accessTokenExpiry,
  accessTokenType,
  type LegacyTokens,
  type TokenClaims,
} from './tokens/access-token.ts';
import { makeRefreshToken } from './tokens/refresh-token.ts';

export interface NewSession {
  readonly type?: SessionRow['type'];
  readonly userId?: string | null;
  readonly clientId?: string | null;
  /** The secret that authenticated the client. The session is stored only if it is still active. */
  readonly secretId?: string | undefined;
  readonly name?: string | null;
  readonly scopes: readonly string[];
  /** How and when the user authenticated. At an application, this is the authentication of the browser session. */
  readonly authentication?: Authentication | null;
  /** For a login at an application: the browser session, or null on a device without a browser. */
  readonly login?: { readonly id: string | null } | undefined;
  /** The audiences of access tokens (RFC 8707). Empty: the service itself. */
  readonly resource?: readonly string[];
  readonly details?: GrantDetails;
  /** False: the session ends with its first access token. */
  readonly refreshable?: boolean;
  /** Default: the lifetime of a refresh token, or of a personal access token. */
  readonly expiresAt?: number | undefined;
  /** The response shows the value of the personal access token. */
  readonly revealed?: boolean;
  readonly source: RequestSource;
}

/** The token request of a device. Its DPoP key binds the refresh token of a public client. */
interface DeviceRequest {
  readonly client: Pick<StoredClient, 'type' | 'grant_types'>;
  readonly source: RequestSource;
  readonly jkt?: string | undefined;
}

/** Notifies applications of ended logins, in the transaction that ends them. */
export type NotifyApplications = (tx: Tx, logins: readonly ApplicationLogin[]) => Promise<void>;

export const scopesOfSession = ({ scopes }: Pick<SessionRow, 'scopes'>): readonly string[] => parseJson(scopes);

const dbOf = (executor: Database | Tx): Db | Tx => ('engine' in executor ? executor.db : executor);

const loginOf = (session: SessionRow, loginId: string | null): ApplicationLogin => ({
  session_id: session.id,
  login_id: loginId,
  user_id: session.user_id as string,
  client_id: session.client_id as string,
  created_at: session.created_at,
});

/**
 * Sessions: logins of a user through a client, logins of a client, and personal access tokens. Each session is one row. Tokens have no
 * rows. `endSessions` and `refreshSession` take a `Sessions` as their first argument. `TokenVerifier` finds the session of a token.
 */
export class Sessions {
  readonly context: Context;
  readonly keys: KeyRing;
  readonly legacyTokens: LegacyTokens;
  readonly notifyApplications: NotifyApplications;

  constructor(context: Context, keys: KeyRing, legacyTokens: LegacyTokens, notify: NotifyApplications) {
    this.context = context;
    this.keys = keys;
    this.legacyTokens = legacyTokens;
    this.notifyApplications = notify;
  }

  /** Opens a session, alone or in a transaction. It returns the row before the row is stored, so that a token can be signed meanwhile. */
  open(executor: Database | Tx, { source, authentication, resource, login, ...session }: NewSession): StoredSession {
    const { config, now } = this.context;
    const at = now();
    const type = session.type ?? 'session';
    const loginTtl = session.refreshable === false ? config.accessTokenTtl : config.refreshTokenTtl;
    const ttlSeconds = type === 'personal' ? config.personalTokenTtl : loginTtl;
    const expires_at = sessionEnd(
      { type, created_at: at, expires_at: session.expiresAt ?? at + ttlSeconds * 1000 },
      config,
    );
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
      expires_at,
      prune_at: Math.min(expires_at, at + config.refreshTokenTtl * 1000),
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
    const stored = insertSession(executor, row, session.secretId ?? null);
    const isLogin = login !== undefined && session.scopes.includes(openidScope);
    const durable = isLogin ? stored.then(() => insertLogin(dbOf(executor), loginOf(row, login.id))) : stored;
    // A caller that awaits `durable` gets the error. A caller that failed before has another error.
    durable.catch(() => undefined);
    return { session: row, durable };
  }

  /** Gives a session that a user opened for a device to the device. Its lifetime starts now. */
  async activateForDevice(tx: Tx, { client, source, jkt }: DeviceRequest, id: string): Promise<SessionRow | undefined> {
    const { config, now } = this.context;
    const waiting = await findScopes(tx, id);
    if (!waiting) return undefined;
    const at = now();
    const refreshable = isRefreshable(client, scopesOfSession(waiting));
    const expires_at = at + (refreshable ? config.refreshTokenTtl : config.accessTokenTtl) * 1000;
    const end = sessionEnd({ type: 'session', created_at: at, expires_at }, config);
    const device = { address: source.address, user_agent: source.userAgent, details: storedDetails({ jkt }) };
    const session = await activateSessionForDevice(tx, id, at, { ...device, expires_at: end, prune_at: end });
    if (session && scopesOfSession(session).includes(openidScope)) await insertLogin(tx, loginOf(session, null));
    return session;
  }

  /**
   * Signed in batches by a worker thread, because the signature is the most expensive part of a token request. Do not await it in a
   * transaction. `scopes` and `audience` narrow those of the session.
   */
  signAccessToken(
    session: TokenSession,
    scopes = scopesOfSession(session),
    audience?: readonly string[],
    claims?: TokenClaims,
  ): Promise<string> {
    const { config, now } = this.context;
    const token = accessTokenClaims(config, session, { now: now(), scope: scopes.join(' '), audience, claims });
    return this.keys.signingKeys.signOnThread(token, { typ: accessTokenType });
  }

  /** The lifetime of an access token issued now, in seconds. */
  accessTokenTtl(session: TokenSession): number {
    const { config, now } = this.context;
    const at = now();
    return accessTokenExpiry(session, config, at) - Math.floor(at / 1000);
  }

  makeRefreshToken(session: Pick<SessionRow, 'id' | 'generation'>): string {
    return makeRefreshToken(this.keys, session);
  }

  /** At start: shortens sessions that began when SESSION_MAX_AGE was longer. */
  async applyMaxAge(): Promise<void> {
    const { config, database } = this.context;
    if (config.sessionMaxAge > 0) await shortenSessions(database.db, config.sessionMaxAge * 1000);
  }
}

/**
 * Like `limitByRoles`, by the user of a session, or by the owner of its client. Without ROLE_SCOPES it costs no query. Roles do not limit the
 * setup of a second factor, because the policy requires it.
 */
export async function limitByRolesOfSession(
  { config, database }: Pick<Context, 'config' | 'database'>,
  session: { readonly user_id: string | null; readonly details: JsonText<GrantDetails> | null },
  client: Pick<StoredClient, 'userId'>,
  scopes: readonly string[],
): Promise<readonly string[]> {
  const userId = session.user_id ?? client.userId;
  if (userId === null || Object.keys(config.roleScopes).length === 0) return scopes;
  if (readDetails(session.details).setUpOnly) return scopes;
  const user = await findUser(database.db, userId);
  return user ? limitByRoles(config, rolesOf(user), scopes) : scopes;
}
