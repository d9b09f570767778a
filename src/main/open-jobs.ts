import { modulesIn } from '../config/import-file.ts';
import type { Context } from '../database/context.ts';
import type { Tx } from '../database/database.ts';
import type { ResourceServices } from '../resources/model/resource-services.ts';
import type { Queue } from '../resources/queue/queue.ts';

/** The operator's own jobs. */
export interface CustomJobs {
  readonly names: readonly string[];
  /** Registers their handlers with the queue. */
  serve(services: ResourceServices): void;
  /** Stores the declared schedules, and the next run of each. */
  syncSchedules(): Promise<void>;
  /** Queues the due runs of scheduled jobs. */
  tick(): Promise<void>;
  /** Queues a run of a scheduled job that somebody requested. Returns the id of the run. */
  requestRun(tx: Tx, name: string): Promise<string>;
}

/** Loads the extension if JOBS_DIR has files, or at the first request to run a job that is no longer declared. */
export async function openJobs(context: Context, queue: Queue): Promise<CustomJobs> {
  const load = () => import('../../extensions/jobs/custom-jobs.ts');
  if (modulesIn(context.config.jobsDir).length > 0) return (await load()).loadCustomJobs(context, queue);
  return {
    names: [],
    serve: () => undefined,
    syncSchedules: async () => undefined,
    tick: async () => undefined,
    requestRun: async (tx, name) => (await load()).createCustomJobs(context, queue, []).requestRun(tx, name),
  };
}
