import { sql } from 'kysely';
import type { Database, Engine, Tx } from '../../../src/database/database.ts';
import { withMigrationLock } from '../../../src/database/locks/migration-lock.ts';
import { runPending } from '../../../src/database/migrate.ts';
import { createProgressSql } from './progress-table.ts';
import { progressTable, quote } from './tables.ts';

interface DeferredObject {
  readonly drop: string;
  readonly make: string;
}

/**
 * Creates the tables of an empty database and the table of the progress, in one transaction. Indexes and foreign keys are
 * created later, so that rows can be inserted faster and in any order.
 */
export async function prepareTarget(database: Database, source: string, makeTables: (tx: Tx) => Promise<void>) {
  await withMigrationLock(database, async (tx) => {
    await runPending(database, tx, database.now);
    await makeTables(tx);
    const later = await findLater(database.engine, tx);
    for (const { drop } of later) await sql.raw(drop).execute(tx);
    for (const statement of createProgressSql) await sql.raw(statement).execute(tx);
    const setup = JSON.stringify({ source, later: later.map(({ make }) => make) });
    await sql`insert into ${sql.table(progressTable)} (name, position) values ('', ${setup})`.execute(tx);
  });
}

async function findLater(engine: Engine, tx: Tx): Promise<DeferredObject[]> {
  if (engine === 'sqlite') {
    const { rows } = await sql<{ name: string; make: string }>`
      select name, sql as make from sqlite_master where type = 'index' and sql is not null`.execute(tx);
    return rows.map(({ name, make }) => ({ drop: `drop index ${quote(name)}`, make }));
  }
  // Foreign keys are created last, because they need indexes.
  const indexes = await sql<{ name: string; make: string }>`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as make
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)`.execute(tx);
  const references = await sql<{ name: string; table: string; made: string }>`
    select k.conname as name, c.relname as table, pg_get_constraintdef(k.oid) as made
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`.execute(tx);
  return [
    ...indexes.rows.map(({ name, make }) => ({ drop: `drop index ${quote(name)}`, make })),
    ...references.rows.map(({ name, table, made: created }) => ({
      drop: `alter table ${quote(table)} drop constraint ${quote(name)}`,
      make: `alter table ${quote(table)} add constraint ${quote(name)} ${created}`,
    })),
  ];
}
