import { sql } from 'kysely';
import type { Database } from './database.ts';

/** The clock of the database (SQLite has none), and the time of its newest event. */
export async function databaseClock({
  engine,
  db,
}: Pick<Database, 'engine' | 'db'>): Promise<{ clock: number | undefined; newestEvent: number }> {
  const newest = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('created_at').as('at'))
    .executeTakeFirst();
  let clock: number | undefined;
  if (engine === 'postgres') {
    const { rows } = await sql<{ ms: string }>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(db);
    clock = Number(rows[0]?.ms);
  }
  return { clock, newestEvent: Number(newest?.at ?? 0) };
}
