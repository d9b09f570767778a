import type { Context } from '../../database/context.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';

const dayMs = 86_400_000;

export const pruneEvents = (context: Context): Promise<number> =>
  pruneBefore(context, 'events', 'created_at', context.now() - context.config.eventRetentionDays * dayMs);
