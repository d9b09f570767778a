import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

const batchSize = 200;

/** Deletes rows in batches, until a batch is not full. Other requests run in between. Returns how many rows were deleted. */
export async function pruneInBatches(deleteRows: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await deleteRows(batchSize);
    total += removed;
    if (removed < batchSize) return total;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Deletes the rows in which `column` is before `before` and `condition` holds. Instances that prune at the same time share the work. */
export const pruneBefore = (
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  table: keyof Tables,
  column: string,
  before: number,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<number> =>
  pruneInBatches(async (limit) => {
    const oldRows = sql`select id from ${sql.table(table)} where ${sql.ref(column)} < ${before} and ${condition} limit ${limit}`;
    const unlocked = engine === 'postgres' ? sql`${oldRows} for update skip locked` : oldRows;
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where id in (${unlocked})`.execute(db);
    return Number(numAffectedRows);
  });
