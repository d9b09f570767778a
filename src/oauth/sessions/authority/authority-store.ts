import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { actorJson, actorSetting } from '../../../database/change-log/actor.ts';
import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Db, Engine, Tx } from '../../../database/database.ts';
import {
  exclusiveLock,
  lockForRevocation,
  sharedLock,
  sharedLockOnAll,
} from '../../../database/locks/revocation-locks.ts';
import type { JsonText } from '../../../platform/json-text.ts';

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
export async function lockUsers(tx: Tx, ids: readonly string[]): Promise<void> {
  await lockForRevocation(tx, ids);
  await tx.selectFrom('users').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute();
}
