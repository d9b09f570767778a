import type { Context } from '../context.ts';
import { pruneOneTimeTokens } from './one-time-token-store.ts';
import { deleteOldThrottles } from './throttle-store.ts';

/** Small enough that a request which waits for the batch notices nothing. */
const batch = 200;

/** Removes counts and links whose time is over; other requests run between the batches. */
export async function pruneAccounts({ database: { db, engine }, now }: Context): Promise<void> {
  while ((await deleteOldThrottles(db, engine, now(), batch)) === batch) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await pruneOneTimeTokens(db, now());
}
