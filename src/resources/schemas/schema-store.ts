import type { Db, Tx } from '../../database/database.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { TableSchema } from './storage-schema.ts';

/** The schemas of the existing tables, by the names of their resources. */
export async function readSchemas(db: Db | Tx): Promise<Map<string, TableSchema>> {
  const rows = await db.selectFrom('resource_schemas').select(['name', 'declaration']).execute();
  return new Map(rows.map(({ name, declaration }) => [name, parseJson<TableSchema>(declaration)]));
}

/** The newest schema of each table. A renamed resource has a schema under each of its names, which older versions read. */
export async function readTableSchemas(db: Db): Promise<TableSchema[]> {
  const rows = await db.selectFrom('resource_schemas').select('declaration').orderBy('updated_at').execute();
  const schemas = rows.map(({ declaration }) => parseJson<TableSchema>(declaration));
  return [...new Map(schemas.map((schema) => [schema.table, schema])).values()];
}

/** The names of the operator's migrations that have run. */
export async function appliedOperatorMigrations(db: Db | Tx): Promise<Set<string>> {
  return new Set((await db.selectFrom('operator_migrations').select('name').execute()).map(({ name }) => name));
}
