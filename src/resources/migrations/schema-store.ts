import type { Db, Tx } from '../../database/database.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { TableSchema } from './storage-schema.ts';

export async function readSchemas(db: Db | Tx): Promise<Map<string, TableSchema>> {
  const rows = await db.selectFrom('resource_schemas').select(['name', 'declaration']).execute();
  return new Map(rows.map(({ name, declaration }) => [name, parseJson<TableSchema>(declaration)]));
}

/** Undefined: the table no longer exists. */
export async function writeSchema(tx: Tx, name: string, schema: TableSchema | undefined, now: number): Promise<void> {
  if (!schema) {
    await tx.deleteFrom('resource_schemas').where('name', '=', name).execute();
    return;
  }
  const declaration = JSON.stringify(schema);
  await tx
    .insertInto('resource_schemas')
    .values({ name, declaration, updated_at: now })
    .onConflict((clash) => clash.column('name').doUpdateSet({ declaration, updated_at: now }))
    .execute();
}
