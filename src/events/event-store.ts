import type { Db } from '../database/database.ts';

/** Removes up to `limit` of the oldest events before a time, and says how many. */
export async function deleteEventsBefore(db: Db, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('id', 'in', (select) =>
      select.selectFrom('events').select('id').where('created_at', '<', before).orderBy('created_at').limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
