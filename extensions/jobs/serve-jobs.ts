import { systemSource } from '../../src/http/request-source.ts';
import { systemCaller } from '../../src/platform/caller.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { isAnyRecorded } from '../../src/resources/model/resource.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import type { Job } from '../../src/resources/queue/job.ts';
import type { Queue } from '../../src/resources/queue/queue.ts';
import { failRun } from '../../src/resources/queue/queued-run-store.ts';
import { createCall, serviceResource } from '../../src/resources/write/resource-calls.ts';
import { outsideTransactions, writeTransaction } from '../../src/resources/write/write-transaction.ts';
import type { JobCall, JobDefinition } from './define-job.ts';
import type { Scheduler } from './scheduler.ts';

/** A scheduled job runs again soon, so a failed run is not retried for five days. */
const scheduledAttempts = 10;

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
    if (schedule === undefined) queue.handle(name, work, options);
    else {
      const handle = (job: Job) => scheduler.runAttempt(job, attempts ?? scheduledAttempts, () => work(job));
      const { database, now } = services.context;
      const onLost = ({ key: id }: Pick<Job, 'key'>, reason: string) =>
        failRun(database.db, { id, name }, reason, now());
      queue.handle(name, handle, { ...options, onLost });
    }
  }
}

export const callHandler = (services: ResourceServices, { run, handle = run }: JobDefinition, job: Job): unknown =>
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
