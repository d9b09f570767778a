import type { Context } from '../../database/context.ts';
import { pruneInBatches } from '../../database/prune-in-batches.ts';
import { pruneChanges } from './log/change-store.ts';
import { pruneTickets } from './stream/tickets.ts';

/** Removes changes that are older than CHANGES_RETENTION, and expired tickets. */
export async function pruneOldChanges(context: Context): Promise<void> {
  const { config, database, now } = context;
  await pruneTickets(context);
  await pruneInBatches((limit) => pruneChanges(database.db, now() - config.changesRetention * 1000, limit));
}
