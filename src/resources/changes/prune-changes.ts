import type { Context } from '../../database/context.ts';
import { pruneChanges } from './log/change-store.ts';
import { pruneTickets } from './stream/tickets.ts';

const batch = 500;

/** Removes what is older than CHANGES_RETENTION, in batches that other requests run between. */
export async function pruneOldChanges(context: Context): Promise<void> {
  const { config, database, now } = context;
  await pruneTickets(context);
  while ((await pruneChanges(database.db, now() - config.changesRetention * 1000, batch)) === batch) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
