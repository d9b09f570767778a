import type { Context } from '../../database/context.ts';
import { deleteOldDevices } from './device-store.ts';

/** Small enough that a request which waits for the batch notices nothing. */
const batch = 200;
/** So long a device that comes back is told that its code has expired, and not that there never was one. */
const keptMs = 3_600_000;

export async function pruneDevices({ database: { db, engine }, now }: Context): Promise<void> {
  while ((await deleteOldDevices(db, engine, now() - keptMs, batch)) === batch) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
