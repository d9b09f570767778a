import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { systemSource } from '../../http/request-source.ts';
import { systemCaller } from '../../platform/caller.ts';
import { OperatorError } from '../../platform/errors.ts';
import { recordEvent } from '../audit/record-event.ts';
import { didYouMean } from '../declaration/check-options.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import { isAnyRecorded } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import type { Job } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import { createCall, serviceResource } from '../write/resource-calls.ts';
import { outsideTransactions, writeTransaction } from '../write/write-transaction.ts';
import type { JobCall, JobDefinition } from './define-job.ts';
import type { Scheduler } from './scheduler.ts';

type EnqueueMail = (
  db: Db | Tx,
  mail: { template: string; recipient: string; data?: Record<string, unknown> },
) => Promise<void>;

export function createEnqueuing(
  { database }: Pick<Context, 'database'>,
  queue: Queue,
  enqueueMail: EnqueueMail,
  jobs: readonly JobDefinition[],
): Enqueuing {
  const names = new Set(jobs.map(({ name }) => name));
  return {
    async later(name, data, { after, tx } = {}) {
      if (!names.has(name)) throw new Error(`no job of JOBS_DIR is named "${name}".${didYouMean(name, names)}`);
      if (after !== undefined && !(Number.isFinite(after) && after >= 0)) {
        throw new Error(`later("${name}"): after takes a number of seconds`);
      }
      return queue.enqueue(tx ?? database.db, { name, data, sealed: true, ...(after === undefined ? {} : { after }) });
    },
    mail: (template, to, data, tx) =>
      enqueueMail(tx ?? database.db, { template, recipient: to, ...(data ? { data } : {}) }),
  };
}

/** A scheduled job runs again soon, so a failed run is not retried for five days. */
const scheduledAttempts = 10;
const singleAttempt = 1;

export function serveJobs(
  services: ResourceServices,
  queue: Queue,
  scheduler: Scheduler,
  jobs: readonly JobDefinition[],
): void {
  for (const definition of jobs) {
    const { name, schedule, timeout } = definition;
    const attempts = definition.attempts ?? (schedule === undefined ? undefined : scheduledAttempts);
    const options = { ...(attempts ? { attempts } : {}), ...(timeout ? { timeout } : {}) };
    const work = (job: Job) => outsideTransactions(async () => callHandler(services, definition, job));
    queue.handle(
      name,
      schedule === undefined
        ? work
        : (job) => scheduler.runAttempt(job, attempts ?? scheduledAttempts, () => work(job)),
      options,
    );
  }
}

/** Runs a job in this process, once: `gatehouse job run NAME`. Throws the error of the job. */
export async function runJob(
  services: ResourceServices,
  scheduler: Scheduler,
  jobs: readonly JobDefinition[],
  { name, data = null }: { readonly name: string; readonly data?: unknown },
): Promise<void> {
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

const callHandler = (services: ResourceServices, { run, handle = run }: JobDefinition, job: Job): unknown =>
  handle?.(jobCall(services, job));

function jobCall(services: ResourceServices, job: Job): JobCall {
  const { context, enqueuing } = services;
  const { database, log, now } = context;
  const call = createCall(services, { caller: systemCaller, source: systemSource });
  return {
    ...job,
    ...enqueuing,
    now: now(),
    log: log.child({ job: job.key, name: job.name }),
    resource: serviceResource(call.resource),
    db: database.db,
    transaction: (work) =>
      writeTransaction(services, call, { recorded: isAnyRecorded(services.resources) }, (write) => work(write.call.tx)),
    recordEvent: (type, data, tx) =>
      recordEvent(context, tx ?? database.db, { type, source: systemSource, ...(data ? { data } : {}) }),
  };
}
