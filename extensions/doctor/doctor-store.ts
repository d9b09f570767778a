import { sql } from 'kysely';
import type { Database, Db } from '../../src/database/database.ts';

/** The clock of the database (SQLite has none), and the time of its newest event. */
export async function databaseClock({ engine, db }: Pick<Database, 'engine' | 'db'>) {
  const newest = db.selectFrom('events').select((eb) => eb.fn.max('created_at').as('at'));
  const newestEvent = Number((await newest.executeTakeFirst())?.at ?? 0);
  if (engine === 'sqlite') return { clock: undefined, newestEvent };
  const { rows } = await sql<{ ms: string }>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(db);
  return { clock: Number(rows[0]?.ms), newestEvent };
}

const hasFactor = sql`(exists (select 1 from passkeys p where p.user_id = u.id and p.automatic = 0)
  or exists (select 1 from authenticators a where a.user_id = u.id and a.confirmed_at is not null))`;

/** Administrators without a second factor. */
export async function countUnprotectedAdministrators(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from users u
    where u.disabled = 0 and u.roles like '%"admin"%' and not ${hasFactor}`.execute(db);
  return Number(rows[0]?.n ?? 0);
}
