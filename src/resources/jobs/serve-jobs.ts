import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { systemSource } from '../../http/request-source.ts';
import { recordEvent } from '../audit/record-event.ts';
import { nearestOf } from '../declaration/check-options.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { Job } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import type { JobCall, JobDefinition } from './define-job.ts';

type EnqueueMail = (
  db: Db | Tx,
  mail: { template: string; recipient: string; data?: Record<string, unknown> },
) => Promise<void>;

/** What hooks, actions, routes and jobs of an operator queue work with. */
export function createEnqueuing(
  { database }: Pick<Context, 'database'>,
  queue: Queue,
  enqueueMail: EnqueueMail,
  jobs: readonly JobDefinition[],
): Enqueuing {
  const names = new Set(jobs.map(({ name }) => name));
  return {
    async later(name, data, { after, tx } = {}) {
      if (!names.has(name)) throw new Error(`no job of JOBS_DIR is named "${name}".${nearestOf(name, names)}`);
      if (after !== undefined && !(Number.isFinite(after) && after >= 0)) {
        throw new Error(`later("${name}"): after takes a number of seconds`);
      }
      return queue.enqueue(tx ?? database.db, { name, data, sealed: true, ...(after === undefined ? {} : { after }) });
    },
    mail: (template, to, data, tx) =>
      enqueueMail(tx ?? database.db, { template, recipient: to, ...(data ? { data } : {}) }),
  };
}

/** Has the queue do the operator's own jobs. */
export function serveJobs(context: Context, queue: Queue, enqueuing: Enqueuing, jobs: readonly JobDefinition[]): void {
  for (const { name, attempts, timeout, handle } of jobs) {
    const options = { ...(attempts ? { attempts } : {}), ...(timeout ? { timeout } : {}) };
    queue.handle(name, (job) => handle(jobCall(context, enqueuing, job)), options);
  }
}

function jobCall(context: Context, enqueuing: Enqueuing, job: Job): JobCall {
  const { database, log, now } = context;
  return {
    ...job,
    ...enqueuing,
    now: now(),
    log: log.child({ job: job.key, name: job.name }),
    db: database.db,
    transaction: (work) => commitAndInvalidate(database, (tx) => work(tx)),
    recordEvent: (type, data, tx) =>
      recordEvent(context, tx ?? database.db, { type, source: systemSource, ...(data ? { data } : {}) }),
  };
}
