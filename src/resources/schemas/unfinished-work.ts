import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { findMissing } from '../../database/without-table-locks.ts';
import { canLackValues, lacksValues } from './columns-with-default.ts';
import { readTableSchemas } from './schema-store.ts';
import type { TableSchema } from './storage-schema.ts';

/** The indexes that only make reads faster. A unique index is a constraint. */
export const indexesForReads = (schemas: readonly TableSchema[]) =>
  schemas.flatMap(({ table, columns, indexes }) =>
    Object.entries(indexes)
      .filter(([, index]) => !index.unique && !index.columns.some((column) => columns[column]?.unnamed))
      .map(([name, index]) => ({ name, table, index })),
  );

/** References for which PostgreSQL has not checked the existing rows yet. */
export async function findUnvalidatedReferences({ db }: Database, schemas: readonly TableSchema[]) {
  const tables = schemas.map(({ table }) => table);
  const { rows } = await sql<{ table: string; name: string }>`select relname as "table", conname as name
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and not convalidated and relnamespace = current_schema()::regnamespace
      and relname = any(${tables})`.execute(db);
  return rows;
}

/** Whether a migration has left work that needs no lock. Only on PostgreSQL. */
export async function hasUnfinishedWork(database: Database): Promise<boolean> {
  const { direct } = database;
  if (!direct) return false;
  const schemas = await readTableSchemas(database.db);
  if ((await findMissing(database, indexesForReads(schemas))).length > 0) return true;
  if ((await findUnvalidatedReferences(database, schemas)).length > 0) return true;
  if (!canLackValues(schemas)) return false;
  // This read can take long. A direct connection has no time limit.
  return direct((db) => lacksValues({ engine: 'postgres', db }, schemas));
}
