import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';

type ActivityRow = Selectable<Tables['activity']>;

const upsert = (db: Db, rows: readonly ActivityRow[], count: number | RawBuilder<number>): Promise<unknown> =>
  db
    .insertInto('activity')
    .values([...rows])
    .onConflict((oc) => oc.columns(['hour', 'kind']).doUpdateSet({ count }))
    .execute();

/** One statement, so that counts of concurrent instances add up. */
export async function addToActivity(db: Db, rows: readonly ActivityRow[]): Promise<void> {
  if (rows.length > 0) await upsert(db, rows, sql`activity.count + excluded.count`);
}

/** A gauge: the last value of an hour replaces earlier ones. */
export const setActivity = (db: Db, row: ActivityRow): Promise<unknown> => upsert(db, [row], row.count);

export const activitySince = (db: Db, hour: number): Promise<ActivityRow[]> =>
  db.selectFrom('activity').selectAll().where('hour', '>=', hour).orderBy('hour').orderBy('kind').execute();

export async function deleteActivityBefore(db: Db, hour: number): Promise<void> {
  await db.deleteFrom('activity').where('hour', '<', hour).execute();
}

/** The sessions that are valid now. Outside a transaction, so that SQLite counts many of them in a separate thread. */
export async function countLiveSessions(db: Db, now: number): Promise<number> {
  const row = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .where('type', '=', 'session')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

export async function countPeopleByFactor(db: Db): Promise<{ passkeys: number; authenticators: number }> {
  const { rows } = await sql<{ passkeys: number; authenticators: number }>`select
    (select count(distinct user_id) from passkeys) as passkeys,
    (select count(distinct user_id) from authenticators where confirmed_at is not null) as authenticators`.execute(db);
  return { passkeys: Number(rows[0]?.passkeys ?? 0), authenticators: Number(rows[0]?.authenticators ?? 0) };
}
