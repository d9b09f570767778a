import type { Db, Tx } from '../../database/database.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { TableSchema } from './storage-schema.ts';

/** The schemas of the existing tables, by the names of their resources, which older versions use after a rename. */
export async function readSchemas(db: Db | Tx): Promise<Map<string, TableSchema>> {
  const schemas = await storedSchemas(db);
  const newest = newestByTable(schemas);
  // Only the newest schema has the present columns and indexes. The names of the fields differ by version.
  return new Map(
    [...schemas].map(([name, { table, columns: earlier }]) => {
      const schema = newest.get(table) as TableSchema;
      const columns = Object.entries(schema.columns).map(([column, present]) => {
        const { field } = earlier[column] ?? present;
        return [column, { ...present, field }];
      });
      return [name, { ...schema, columns: Object.fromEntries(columns) }];
    }),
  );
}

/** The newest schema of each table. */
export const readTableSchemas = async (db: Db): Promise<TableSchema[]> => [
  ...newestByTable(await storedSchemas(db)).values(),
];

/** The oldest first. */
async function storedSchemas(db: Db | Tx): Promise<Map<string, TableSchema>> {
  const rows = await db.selectFrom('resource_schemas').select(['name', 'declaration']).orderBy('updated_at').execute();
  return new Map(rows.map(({ name, declaration }) => [name, parseJson<TableSchema>(declaration)]));
}

const newestByTable = (schemas: ReadonlyMap<string, TableSchema>) =>
  new Map([...schemas.values()].map((schema) => [schema.table, schema]));

/** The names of the operator's migrations that have run. */
export async function appliedOperatorMigrations(db: Db | Tx): Promise<Set<string>> {
  return new Set((await db.selectFrom('operator_migrations').select('name').execute()).map(({ name }) => name));
}
