import { type Selectable, sql } from 'kysely';
import type { Config } from '../../../config/config.ts';
import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Database, Db, Engine, Tx } from '../../../database/database.ts';
import { lockForRevocation, lockForRevocationOfAll } from '../../../database/locks/revocation-locks.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import { parseJson } from '../../../platform/json-text.ts';
import { type Acr, acrLevels, acrOf } from '../../../platform/proof.ts';
import { offlineAccessScope } from '../../clients/scopes/scopes.ts';

export type SessionRow = Selectable<Tables['sessions']>;

/** The columns that the tokens of a session depend on. */
export const tokenColumns = [
  ...(['id', 'type', 'user_id', 'client_id', 'scopes', 'generation', 'created_at', 'expires_at'] as const),
  ...(['auth_time', 'amr', 'acr', 'resource', 'details'] as const),
] as const;
export type TokenSession = Pick<SessionRow, (typeof tokenColumns)[number]>;

/** Selects sessions: a single session, sessions of a user (with an optional exception), or sessions of a client. */
export type SessionFilter =
  | { readonly sessionId: string }
  | {
      readonly userId: string;
      readonly exceptSessionId?: string | null | undefined;
      /** Only sessions of this type. Default: logins and personal access tokens. */
      readonly type?: SessionRow['type'] | undefined;
      /** Only sessions through this client. */
      readonly clientId?: string | undefined;
    }
  | { readonly clientId: string };

const selectById = compiledQuery((db, { id }: { id: string }) =>
  db.selectFrom('sessions').selectAll().where('id', '=', id),
);

export const findSession = async (database: Database, id: string): Promise<SessionRow | undefined> =>
  selectById.readFirst(database, { id });

const selectOfEnabledUser = compiledQuery((db, { id }: { id: string }) =>
  db
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .where('sessions.id', '=', id)
    .where((eb) => eb.or([eb('users.disabled', 'is', null), eb('users.disabled', '=', 0)])),
);

/** The session, unless its user is disabled. */
export const findSessionOfEnabledUser = async (database: Database, id: string): Promise<SessionRow | undefined> =>
  selectOfEnabledUser.readFirst(database, { id });

const selectWithSubject = compiledQuery((db, { id }: { id: string }) =>
  db
    .selectFrom('sessions')
    .leftJoin('clients', 'clients.id', 'sessions.client_id')
    // The user of the session, or the owner of the client.
    .leftJoin('users', (join) =>
      join.on((eb) => eb('users.id', '=', eb.fn.coalesce('sessions.user_id', 'clients.user_id'))),
    )
    .select(['sessions.type', 'sessions.user_id', 'sessions.client_id', 'sessions.revoked_at', 'sessions.created_at'])
    .select(['sessions.expires_at', 'sessions.generation', 'sessions.used_generation', 'sessions.rotated_at'])
    .select(['sessions.auth_time', 'sessions.amr', 'sessions.acr', 'users.roles', 'users.disabled', 'users.realm'])
    .select(['clients.scopes as client_scopes', 'clients.type as client_type', 'clients.realm as client_realm'])
    .select(['clients.user_id as owner_id', 'sessions.details'])
    .where('sessions.id', '=', id),
);

/** A session with all data that decides whether its tokens are valid, and what they may do. */
export type SessionWithSubject = NonNullable<Awaited<ReturnType<typeof findSessionWithSubject>>>;

export const findSessionWithSubject = async (database: Database, id: string) =>
  selectWithSubject.readFirst(database, { id });

/** For tokens whose session was deleted: whether the user and the client still exist. */
export async function subjectsExist(db: Db, userId: string, clientId: string) {
  const user = await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  const client = await db.selectFrom('clients').select('id').where('id', '=', clientId).executeTakeFirst();
  return { user: user !== undefined, client: client !== undefined };
}

/** Applies SESSION_MAX_AGE to logins that began when it was longer. */
export async function shortenSessions(db: Db, maxAge: number): Promise<void> {
  const livesLonger = sql<boolean>`type = 'session' and expires_at > created_at + ${maxAge}`;
  const rows = await db.selectFrom('sessions').select('id').where(livesLonger).limit(1).execute();
  if (rows.length === 0) return;
  await db.transaction().execute(async (tx) => {
    await lockForRevocationOfAll(tx);
    await tx
      .updateTable('sessions')
      .set({ expires_at: sql`created_at + ${maxAge}`, prune_at: sql`created_at + ${maxAge}` })
      .where(livesLonger)
      .execute();
  });
}

/** Marks live sessions as ended and returns their ids. */
export async function revokeSessions(tx: Tx, filter: SessionFilter, now: number): Promise<string[]> {
  await lockForRevocation(tx, [
    'sessionId' in filter ? filter.sessionId : 'userId' in filter ? filter.userId : filter.clientId,
  ]);
  let query = tx.updateTable('sessions').set({ revoked_at: now }).where('revoked_at', 'is', null).returning('id');
  if ('sessionId' in filter) query = query.where('id', '=', filter.sessionId);
  else if (!('userId' in filter)) query = query.where('client_id', '=', filter.clientId);
  else {
    query = query.where('user_id', '=', filter.userId);
    if (filter.clientId) query = query.where('client_id', '=', filter.clientId);
    if (filter.exceptSessionId) query = query.where('id', '!=', filter.exceptSessionId);
    if (filter.type) query = query.where('type', '=', filter.type);
  }
  return (await query.execute()).map(({ id }) => id);
}

/** Marks those of these sessions as ended that have no offline access, and returns their ids. */
export async function revokeWithoutOfflineAccess(tx: Tx, ids: readonly string[], now: number): Promise<string[]> {
  if (ids.length === 0) return [];
  await lockForRevocation(tx, ids);
  const ended = await tx
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('id', 'in', ids)
    .where('scopes', 'not like', `%"${offlineAccessScope}"%`)
    .returning('id')
    .execute();
  return ended.map(({ id }) => id);
}

/** The live sessions, newest first: all, or those of a user or a client. */
export function listSessions(
  db: Db,
  now: number,
  { userId, clientId }: { userId?: string | undefined; clientId?: string | undefined } = {},
): Promise<SessionRow[]> {
  let query = db.selectFrom('sessions').selectAll().where('revoked_at', 'is', null).where('expires_at', '>', now);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (clientId !== undefined) query = query.where('client_id', '=', clientId);
  return query.orderBy('id', 'desc').execute();
}

/** Ends the sessions of all users, and returns their number. */
export async function revokeAllSessions(tx: Tx, now: number, { keepPersonal = false } = {}): Promise<number> {
  let query = tx.updateTable('sessions').set({ revoked_at: now }).where('revoked_at', 'is', null);
  if (keepPersonal) query = query.where('type', '!=', 'personal');
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Marks a personal access token as shown. Only the first call succeeds. */
export const markRevealed = (db: Db | Tx, id: string, userId: string, now: number): Promise<SessionRow | undefined> =>
  db
    .updateTable('sessions')
    .set({ revealed_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('type', '=', 'personal')
    .where('revealed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();

export interface LastUse {
  readonly id: string;
  readonly at: number;
  readonly address: string | null;
}

/** Writes many sessions in one statement. Skips locked rows: a last use may be lost. */
export async function writeLastUses(db: Db, engine: Engine, uses: readonly LastUse[]): Promise<void> {
  const list = JSON.stringify(uses);
  const statement =
    engine === 'sqlite'
      ? sql`update sessions set last_used_at = use.value ->> 'at', address = use.value ->> 'address'
          from json_each(${list}) as use where sessions.id = use.value ->> 'id'`
      : sql`with used as (select * from json_to_recordset(${list}::json) as use (id text, at bigint, address text)),
          free as (select sessions.id from sessions where sessions.id in (select id from used) for update skip locked)
          update sessions set last_used_at = used.at, address = used.address
          from used join free on free.id = used.id where sessions.id = used.id`;
  await statement.execute(db);
}

/** A current session. No token of it may leave the service before the session is durable. */
export interface StoredSession<S extends TokenSession = SessionRow> {
  readonly session: S;
  /** Settles when the session is on disk. In a transaction: when the row is written. Then the commit decides. */
  readonly durable: Promise<void>;
}

/** The time at which a session ends by itself: `expires_at`, and for logins also SESSION_MAX_AGE. */
export function sessionEnd(
  { type, created_at, expires_at }: Pick<SessionRow, 'type' | 'created_at' | 'expires_at'>,
  { sessionMaxAge }: Config,
): number {
  if (type === 'personal' || sessionMaxAge === 0) return expires_at;
  return Math.min(expires_at, created_at + sessionMaxAge * 1000);
}

/** Stores how the owner of a session has just authenticated. */
export async function updateProof(tx: Tx, id: string, { time, amr, acr }: Authentication): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ auth_time: time, amr: JSON.stringify(amr), acr })
    .where('id', '=', id)
    .where('type', '=', 'session')
    .execute();
}

export async function setTokenHash(tx: Tx, id: string, tokenHash: string): Promise<void> {
  await tx.updateTable('sessions').set({ token_hash: tokenHash }).where('id', '=', id).execute();
}

const selectByHash = compiledQuery((db, { hash }: { hash: string }) =>
  db.selectFrom('sessions').selectAll().where('token_hash', '=', hash),
);

/** The session of a personal access token, live or not. */
export const findByTokenHash = async (database: Database, hash: string): Promise<SessionRow | undefined> =>
  selectByHash.readFirst(database, { hash });

/** How a user authenticated. Sessions that are opened from this session inherit it. */
export interface Authentication {
  readonly time: number;
  /** RFC 8176. */
  readonly amr: readonly string[];
  readonly acr: Acr;
}

export const authenticatedBy = (amr: readonly string[], time: number): Authentication => ({
  time,
  amr,
  acr: acrOf(amr),
});

/** Null if no user signed in. */
export const authenticationOf = ({
  auth_time: time,
  amr,
  acr,
}: Pick<SessionRow, 'auth_time' | 'amr' | 'acr'>): Authentication | null =>
  time === null
    ? null
    : { time, amr: parseJson(amr ?? '[]'), acr: acrLevels.find((level) => level === acr) ?? acrLevels[0] };
