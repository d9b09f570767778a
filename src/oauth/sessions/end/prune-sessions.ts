import type { Context } from '../../../database/context.ts';
import { deleteEnded } from '../store/session-store.ts';

/** Small enough that a request which waits for the batch notices nothing. */
const batch = 200;
/** Ended sessions stay this long, for whoever looks into what happened. */
const retentionMs = 3_600_000;

/** Removes all sessions that ended or expired; other requests run between the batches. */
export async function pruneSessions({ database, now }: Context): Promise<number> {
  let total = 0;
  for (;;) {
    const at = now();
    const removed = await deleteEnded(database.db, database.engine, {
      now: at,
      endedBefore: at - retentionMs,
      limit: batch,
    });
    total += removed;
    if (removed < batch) return total;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
