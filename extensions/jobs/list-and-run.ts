import type { Context } from '../../src/database/context.ts';
import { uuidv7 } from '../../src/database/uuid.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { didYouMean } from '../../src/resources/declaration/check-options.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import type { Job } from '../../src/resources/queue/job.ts';
import type { Queue } from '../../src/resources/queue/queue.ts';
import { loadJobs } from './load-jobs.ts';
import { findSchedules } from './schedule-store.ts';
import { Scheduler } from './scheduler.ts';
import { callHandler } from './serve-jobs.ts';

const singleAttempt = 1;

/** Does not compare their names with those of other jobs, because the start of the service does that. */
async function openDeclaredJobs(context: Context, queue: Queue) {
  const jobs = await loadJobs(context.config.jobsDir, { isTaken: () => false, now: context.now() });
  return { jobs, scheduler: new Scheduler(context, queue, jobs) };
}

/** The jobs with their stored schedules: `gatehouse job list`. */
export async function listDeclaredJobs(context: Context, queue: Queue) {
  const { jobs, scheduler } = await openDeclaredJobs(context, queue);
  await scheduler.syncSchedules();
  const stored = await findSchedules(context.database.db, scheduler.names);
  const schedules = new Map(stored.map((row) => [row.id, row]));
  return jobs.map(({ name, schedule = null }) => ({ name, schedule, stored: schedules.get(name) }));
}

/** Runs a job in this process, once: `gatehouse job run NAME`. Throws the error of the job. */
export async function runDeclaredJob(
  services: ResourceServices,
  queue: Queue,
  { name, data = null }: { readonly name: string; readonly data?: unknown },
): Promise<void> {
  const { jobs, scheduler } = await openDeclaredJobs(services.context, queue);
  const definition = jobs.find((job) => job.name === name);
  if (!definition) {
    const names = jobs.map((job) => job.name);
    throw new OperatorError(`There is no job "${name}".${didYouMean(name, names)}`);
  }
  const now = services.context.now();
  const key = uuidv7(now);
  await scheduler.recordManualRun(key, name);
  const { signal } = new AbortController();
  const jobData = data ?? (definition.schedule === undefined ? null : { scheduledFor: null });
  const job: Job = { key, name, data: jobData, subject: null, attempt: singleAttempt, createdAt: now, signal };
  await scheduler.runAttempt(job, singleAttempt, async () => callHandler(services, definition, job));
}
