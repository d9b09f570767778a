import type { Context } from '../../database/context.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';

const dayMs = 86_400_000;

export const pruneEvents = ({ config, database, now }: Context): Promise<number> =>
  pruneBefore(database, 'events', 'created_at', now() - config.eventRetentionDays * dayMs);
