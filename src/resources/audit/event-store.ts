import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type EventRow = Selectable<Tables['events']>;

export const insertEvent = (db: Db | Tx, row: EventRow): Promise<unknown> =>
  db.insertInto('events').values(row).execute();

/** Newest first. */
export const newestEventsOfUser = (db: Db, userId: string, type: string, limit: number): Promise<EventRow[]> =>
  db
    .selectFrom('events')
    .selectAll()
    .where('user_id', '=', userId)
    .where('type', '=', type)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export async function findInviterId(db: Db | Tx, userId: string): Promise<string | undefined> {
  const event = await db
    .selectFrom('events')
    .select('actor_id')
    .where('user_id', '=', userId)
    .where('type', '=', 'user.invited')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return event?.actor_id ?? undefined;
}
