import { sql } from 'kysely';
import { Problem } from '../../../platform/errors.ts';
import type { Tx } from '../../db.ts';

const triggerPrefix = 'gatehouse_row_changes';

export const hasCountingTriggersSql = (table: string): string =>
  `(select count(*) = 3 from pg_trigger where tgrelid = '${table}'::regclass and tgname like '${triggerPrefix}%' and tgenabled in ('O', 'A'))`;

/** The highest count for one statement. It exceeds every number of rows that a cached count covers. */
const maxCount = 100_000;

/**
 * The sequence in which triggers count added and removed rows. It takes no locks. A statement that removes rows counts as
 * many as it removes. Writers to the tables need no right to the sequence.
 */
export async function createRowChanges(tx: Tx): Promise<void> {
  await sql`create sequence row_changes`.execute(tx);
  // `last_value` does not show whether the first number of a sequence was used. So the first one is used here.
  await sql`select nextval('row_changes')`.execute(tx);
  const { rows } = await sql<{ name: string }>`select quote_ident(current_schema()) as name`.execute(tx);
  const schema = rows[0]?.name;
  await sql
    .raw(`create function count_row_changes() returns trigger language plpgsql security definer set search_path = ${schema}, pg_temp as $$
      declare
        changed bigint := 1;
      begin
        if tg_op = 'TRUNCATE' then
          changed := ${maxCount};
        elsif tg_op = 'DELETE' then
          select least(count(*), ${maxCount}) into changed from removed;
        end if;
        perform nextval('row_changes') from generate_series(1, changed);
        return null;
      end $$`)
    .execute(tx);
}

const triggerEvents = [
  ['insert', ''],
  ['delete', 'referencing old table as removed'],
  ['truncate', ''],
] as const;

/** Creates missing triggers. A table that stays locked for too long gets its triggers at the next start. */
export async function countRowChanges(tx: Tx, tables: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and t.tgname = ${`${triggerPrefix}_truncate`}`.execute(tx);
  const tablesWithTriggers = new Set(rows.map(({ name }) => name));
  const run = (text: string) => sql.raw(text).execute(tx);
  for (const table of tables.filter((name) => !tablesWithTriggers.has(name))) {
    await run('savepoint triggers');
    try {
      for (const [event, referencing] of triggerEvents) {
        await run(
          `create trigger ${triggerPrefix}_${event} after ${event} on "${table}" ${referencing} for each statement execute function count_row_changes()`,
        );
      }
    } catch (error) {
      await run('rollback to savepoint triggers');
      if (!(error instanceof Problem)) throw error;
    }
    await run('release savepoint triggers');
  }
}
