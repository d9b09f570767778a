import type { Context } from '../../src/database/context.ts';
import { pruneBefore, pruneInBatches } from '../../src/database/prune-in-batches.ts';
import { pruneChanges } from './log/change-store.ts';
import { pruneDeliveries } from './webhooks/webhook-store.ts';

export async function pruneOldChanges(context: Context): Promise<void> {
  const { config, database, now } = context;
  await pruneBefore(context, 'change_tickets', 'expires_at', now());
  const before = now() - config.changesRetention * 1000;
  await pruneDeliveries(context, before);
  await pruneInBatches(context, (limit) => pruneChanges(database.db, before, limit));
}
