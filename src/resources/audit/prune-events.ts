import type { Context } from '../../database/context.ts';
import { deleteEventsBefore } from './event-store.ts';

const batch = 200;
const day = 86_400_000;

/** Removes what is older than EVENT_RETENTION_DAYS, in batches that other requests run between. */
export async function pruneEvents({ config, database, now }: Context): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await deleteEventsBefore(database.db, now() - config.eventRetentionDays * day, batch);
    total += removed;
    if (removed < batch) return total;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
