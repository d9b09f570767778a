import type { Tx } from '../../../src/database/database.ts';
import type { TableSchema } from '../../../src/resources/schemas/storage-schema.ts';

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

export async function recordOperatorMigration(tx: Tx, name: string, now: number): Promise<void> {
  await tx.insertInto('operator_migrations').values({ name, applied_at: now }).execute();
}
