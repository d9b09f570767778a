import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type ActivityRow = Selectable<Tables['activity']>;

/** One statement, so that counts of concurrent instances add up. */
export async function addToActivity(db: Db, rows: readonly ActivityRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('activity')
    .values([...rows])
    .onConflict((oc) => oc.columns(['hour', 'kind']).doUpdateSet({ count: sql`activity.count + excluded.count` }))
    .execute();
}

/** A gauge: the last value of an hour replaces earlier ones. */
export async function setActivity(db: Db, row: ActivityRow): Promise<void> {
  await db
    .insertInto('activity')
    .values(row)
    .onConflict((oc) => oc.columns(['hour', 'kind']).doUpdateSet({ count: row.count }))
    .execute();
}

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
