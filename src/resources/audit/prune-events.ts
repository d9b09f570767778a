import type { Context } from '../../database/context.ts';
import { pruneInBatches } from '../../database/prune-in-batches.ts';
import { deleteEventsBefore } from './event-store.ts';

const day = 86_400_000;

export const pruneEvents = ({ config, database, now }: Context): Promise<number> =>
  pruneInBatches((limit) => deleteEventsBefore(database.db, now() - config.eventRetentionDays * day, limit));
