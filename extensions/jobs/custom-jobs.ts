import type { Context } from '../../src/database/context.ts';
import type { Tx } from '../../src/database/database.ts';
import { logoutJob } from '../../src/oauth/openid/backchannel-logout.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import type { Queue } from '../../src/resources/queue/queue.ts';
import type { JobDefinition } from './define-job.ts';
import { loadJobs } from './load-jobs.ts';
import { Scheduler } from './scheduler.ts';
import { serveJobs } from './serve-jobs.ts';

/** The jobs of the files in JOBS_DIR. */
export async function loadCustomJobs(context: Context, queue: Queue) {
  const { config, now } = context;
  // The extension `openid-logout` adds the handler of `logoutJob` later.
  const isTaken = (name: string) => name === logoutJob || queue.handles(name);
  const jobs = await loadJobs(config.jobsDir, { isTaken, now: now() });
  return createCustomJobs(context, queue, jobs);
}

export function createCustomJobs(context: Context, queue: Queue, jobs: readonly JobDefinition[]) {
  const scheduler = new Scheduler(context, queue, jobs);
  return {
    names: jobs.map(({ name }) => name),
    serve: (services: ResourceServices) => serveJobs(services, queue, scheduler, jobs),
    syncSchedules: () => scheduler.syncSchedules(),
    tick: () => scheduler.tick(),
    requestRun: (tx: Tx, name: string) => scheduler.requestRun(tx, name),
  };
}
