import type { Db } from '../../src/database/database.ts';

/** A user's remembered browsers, newest first. */
export const findBrowsers = (db: Db, userId: string, now: number) =>
  db
    .selectFrom('remembered_browsers')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .execute();

/** Events about the user or caused by the user, oldest first, after the event with the id `after`. */
export const eventsOfUserAfter = (db: Db, userId: string, after: string, limit: number) =>
  db
    .selectFrom('events')
    .selectAll()
    .where((eb) => eb.or([eb('user_id', '=', userId), eb('actor_id', '=', userId)]))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
