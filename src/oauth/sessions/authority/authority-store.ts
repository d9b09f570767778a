import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Config } from '../../../config/config.ts';
import type { LockAuthority, WriteAuthority } from '../../../database/change-as.ts';
import { actorJson, actorSetting } from '../../../database/change-log/actor.ts';
import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Context } from '../../../database/context.ts';
import type { Db, Engine, Tx } from '../../../database/database.ts';
import {
  exclusiveLock,
  lockForRevocation,
  sharedLock,
  sharedLockOnAll,
} from '../../../database/locks/revocation-locks.ts';
import { requireScope, unauthorized } from '../../../http/gate/unauthorized.ts';
import type { Caller } from '../../../platform/caller.ts';
import { type JsonText, parseJson } from '../../../platform/json-text.ts';
import { limitByRoles } from '../../clients/client-rules.ts';
import { effectiveRoles, narrowScopes } from '../../clients/scopes/scopes.ts';

interface Ids {
  readonly userId: string;
  readonly clientId: string;
  readonly sessionId: string;
}

/** The rows that decide whether a caller may act. Missing rows are undefined. */
export interface AuthorityRows {
  /** The user, or the owner of the client. */
  readonly user?: { readonly roles: JsonText<string[]>; readonly disabled: boolean };
  readonly client?: { readonly scopes: JsonText<string[]> };
  readonly session?: { readonly revoked_at: number | null; readonly expires_at: number };
}

/** How the rows are locked: against changes, or exclusively. */
type Strength = 'share' | 'change';

const noText = sql<string | null>`cast(null as text)`;
const noNumber = sql<number | null>`cast(null as bigint)`;

/** Locks three rows in one statement, in the order in which a user is deleted, so that there is no deadlock. */
const selectLocked = (locks: { user: Lock; client: Lock; session: Lock }, recordsActor: boolean) =>
  compiledQuery((db: Db, ids: Ids & { actor: string }) => {
    const user = db
      .selectFrom('users')
      .select(['roles as data', sql<number | null>`cast(disabled as bigint)`.as('ended'), noNumber.as('expires_at')]);
    const client = db.selectFrom('clients').select(['scopes as data', noNumber.as('ended'), noNumber.as('expires_at')]);
    const session = db.selectFrom('sessions').select([noText.as('data'), 'revoked_at as ended', 'expires_at']);
    const selectPart = <Q>(partName: string, rows: Q) =>
      db
        .selectFrom((rows as typeof session).as(partName))
        .select([sql.lit(partName).as('what'), 'data', 'ended', 'expires_at']);
    const lockedRows = selectPart('held_user', locks.user(user.where('id', '=', ids.userId)))
      .unionAll(selectPart('held_client', locks.client(client.where('id', '=', ids.clientId))))
      .unionAll(selectPart('held_session', locks.session(session.where('id', '=', ids.sessionId))));
    return recordsActor ? lockedRows.unionAll(setActor(db, ids.actor)) : lockedRows;
  });

/** Part of the same statement, to save a round trip. */
const setActor = (db: Db, actor: string) =>
  db
    .selectNoFrom([
      sql.lit('actor').as('what'),
      sql<string | null>`set_config(${actorSetting}, ${actor}, true)`.as('data'),
    ])
    .select([noNumber.as('ended'), sql<number>`cast(null as bigint)`.as('expires_at')]);

/** One statement for writes that record the caller's name, and one for others. */
const withAndWithoutActor = (locks: { user: Lock; client: Lock; session: Lock }) => ({
  withActor: selectLocked(locks, true),
  withoutActor: selectLocked(locks, false),
});

interface Lockable {
  where(condition: RawBuilder<SqlBool>): Lockable;
  forShare(): Lockable;
  forNoKeyUpdate(): Lockable;
}
type Lock = (rows: Lockable) => Lockable;

const id = sql.ref('id');
const shareLock: Lock = (rows) => rows.where(sharedLock(id)).forShare();
const shareSessionLock: Lock = (rows) => shareLock(rows.where(sharedLockOnAll));
// Not `for update`: other transactions can still insert rows that refer to this row.
const changeLock: Lock = (rows) => rows.where(exclusiveLock(id)).forNoKeyUpdate();
// SQLite runs one write transaction at a time.
const noLock: Lock = (rows) => rows;

const unlocked = selectLocked({ user: noLock, client: noLock, session: noLock }, false);
const shared = withAndWithoutActor({ user: shareLock, client: shareLock, session: shareSessionLock });
/** The user is always locked before the session, so no other transaction can get in between. */
const userLocks = withAndWithoutActor({ user: changeLock, client: shareLock, session: shareSessionLock });
const clientLocks = withAndWithoutActor({ user: changeLock, client: changeLock, session: shareSessionLock });

/** Reads and locks the rows that a caller's authority depends on. They do not change until the transaction ends. */
export async function lockAuthorityRows(
  tx: Tx,
  engine: Engine,
  { kind, ...ids }: Ids & { readonly kind: 'user' | 'client' },
  strength: Strength,
  isRecorded = false,
): Promise<AuthorityRows> {
  const exclusive = kind === 'user' ? userLocks : clientLocks;
  const lockedQueries = strength === 'share' ? shared : exclusive;
  const query = engine === 'sqlite' ? unlocked : isRecorded ? lockedQueries.withActor : lockedQueries.withoutActor;
  const actor = actorJson({ userId: ids.userId || null, clientId: ids.clientId || null });
  const rows: { -readonly [K in keyof AuthorityRows]: AuthorityRows[K] } = {};
  for (const { what, data, ended, expires_at } of await query.run(tx, { ...ids, actor })) {
    if (what === 'held_user') rows.user = { roles: data as string, disabled: ended === 1 };
    else if (what === 'held_client') rows.client = { scopes: data as string };
    else if (what === 'held_session') rows.session = { revoked_at: ended, expires_at };
  }
  return rows;
}

/** Locks users in a fixed order, so that two users who change each other do not deadlock. */
async function lockUsers(tx: Tx, ids: readonly string[]): Promise<void> {
  await lockForRevocation(tx, ids);
  await tx.selectFrom('users').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute();
}

/** Checks the caller's authority inside the transaction of a write, on locked rows. A revocation applies from its commit. */
export const createLockAuthority =
  ({ config, database, now }: Context): LockAuthority =>
  async (tx, authority) => {
    const { caller } = authority;
    const { kind } = caller;
    // Anonymous callers and the service itself have no rows.
    if (kind === 'anonymous' || kind === 'system') return caller;
    if (caller.sessionId === null) throw new Error('a caller with a token has a session');
    const ids = { kind, userId: caller.userId ?? '', clientId: caller.clientId ?? '', sessionId: caller.sessionId };
    const otherUserId = authority.userId === caller.userId ? undefined : authority.userId;
    if (otherUserId !== undefined && database.engine === 'postgres') await lockUsers(tx, [ids.userId, otherUserId]);
    const strength = authority.changesAccounts ? 'change' : 'share';
    const rows = await lockAuthorityRows(tx, database.engine, ids, strength, authority.recorded);
    rejectEnded(caller, rows, now());
    if (authority.accountId !== undefined) await lockForRevocation(tx, [authority.accountId]);
    return currentCaller(config, authority, rows);
  };

function rejectEnded({ kind, clientId }: Caller, { user, client, session }: AuthorityRows, now: number): void {
  if (kind === 'user' && !user) throw unauthorized('user_gone');
  if (user?.disabled) throw unauthorized('user_gone', 'disabled user');
  if (clientId !== null && !client) throw unauthorized('client_revoked');
  if (!session || session.revoked_at !== null) throw unauthorized('token_revoked');
  if (session.expires_at <= now) throw unauthorized('token_expired');
}

function currentCaller(config: Config, { caller, scope }: WriteAuthority, { user, client }: AuthorityRows): Caller {
  const clientScopes = client ? narrowScopes(caller.scopes, parseJson(client.scopes)) : caller.scopes;
  const roles = user ? parseJson(user.roles) : [];
  const scopes = user ? limitByRoles(config, roles, clientScopes) : clientScopes;
  const { application } = caller;
  const current: Caller = Object.freeze({
    ...caller,
    // A client acts for its owner, but never with the owner's roles.
    roles: caller.kind === 'user' ? effectiveRoles({ application, scopes }, roles) : [],
    scopes,
  });
  requireScope(current, scope);
  return current;
}
