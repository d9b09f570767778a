import { sql } from 'kysely';
import type { Database } from './database.ts';

/** The clock of the database (SQLite has none), and the time of its newest event. */
export async function databaseClock({ engine, db }: Pick<Database, 'engine' | 'db'>) {
  const newest = db.selectFrom('events').select((eb) => eb.fn.max('created_at').as('at'));
  const newestEvent = Number((await newest.executeTakeFirst())?.at ?? 0);
  if (engine === 'sqlite') return { clock: undefined, newestEvent };
  const { rows } = await sql<{ ms: string }>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(db);
  return { clock: Number(rows[0]?.ms), newestEvent };
}
