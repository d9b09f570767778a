import type { Context } from '../../database/context.ts';
import { pruneBefore, pruneInBatches } from '../../database/prune-in-batches.ts';
import { pruneChanges } from './log/change-store.ts';

export async function pruneOldChanges({ config, database, now }: Context): Promise<void> {
  await pruneBefore(database, 'change_tickets', 'expires_at', now());
  await pruneInBatches((limit) => pruneChanges(database.db, now() - config.changesRetention * 1000, limit));
}
