import type { Context } from '../../database/context.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';

const retentionMs = 30 * 24 * 60 * 60_000;

/** Also for jobs that are no longer declared. */
export const pruneRuns = (context: Context): Promise<unknown> =>
  pruneBefore(context, 'job_runs', 'created_at', context.now() - retentionMs);
