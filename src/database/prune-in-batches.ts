import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from './context.ts';
import type { Tables } from './tables/tables.ts';

const defaultBatchSize = 50;
/** The pause after a batch, as a multiple of its time. Without pauses, pruning many rows slows down all other requests. */
const pauseRatio = 3;
const maxPauseMs = 200;

/**
 * Deletes rows in batches, until a batch is not full, or the service stops. Other requests run in between. Returns how many rows were
 * deleted.
 */
export async function pruneInBatches(
  { stopping }: Pick<Context, 'stopping'>,
  deleteRows: (limit: number) => Promise<number>,
  batchSize = defaultBatchSize,
): Promise<number> {
  let total = 0;
  while (!stopping?.aborted) {
    const beganAt = performance.now();
    const removed = await deleteRows(batchSize);
    total += removed;
    if (removed < batchSize) break;
    const pauseMs = Math.min((performance.now() - beganAt) * pauseRatio, maxPauseMs);
    // The end of the service ends the pause, and the loop.
    await setTimeout(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
  return total;
}

/** Deletes the rows in which `column` is before `before` and `condition` holds. Instances that prune at the same time share the work. */
export function pruneBefore(
  { database: { db, engine }, stopping }: Pick<Context, 'database' | 'stopping'>,
  table: keyof Tables,
  column: string,
  before: number,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  return pruneInBatches({ stopping }, async (limit) => {
    const oldRows = sql`select id from ${sql.table(table)} where ${sql.ref(column)} < ${before} and ${condition} limit ${limit}`;
    const unlocked = engine === 'postgres' ? sql`${oldRows} for update skip locked` : oldRows;
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where id in (${unlocked})`.execute(db);
    return Number(numAffectedRows);
  });
}
