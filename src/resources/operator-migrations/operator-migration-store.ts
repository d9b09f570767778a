import type { Db, Tx } from '../../database/database.ts';

export async function appliedOperatorMigrations(db: Db | Tx): Promise<Set<string>> {
  return new Set((await db.selectFrom('operator_migrations').select('name').execute()).map(({ name }) => name));
}

export async function recordOperatorMigration(tx: Tx, name: string, now: number): Promise<void> {
  await tx.insertInto('operator_migrations').values({ name, applied_at: now }).execute();
}
