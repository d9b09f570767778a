import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { jobLabel, sealedMark } from '../../database/keys/sealed-columns.ts';
import { systemSource } from '../../http/request-source.ts';
import { reasonOf } from '../../platform/errors.ts';
import { inSpan } from '../../platform/tracing.ts';
import { recordEvent } from '../audit/record-event.ts';
import { type HandlerOptions, type Job, type JobHandler, retryDelayMs } from './job.ts';
import { deleteLeased, failJob, type JobRow, type Lease, postponeJob } from './job-store.ts';

export type Sealing = Pick<KeyRing, 'seal' | 'unseal'>;

export interface Handler extends Required<Pick<HandlerOptions, 'attempts' | 'timeout'>> {
  readonly lanes: HandlerOptions['lanes'];
  readonly onLost: HandlerOptions['onLost'];
  /** A method, so that handlers may name the type of their data. */
  handle(job: Job): ReturnType<JobHandler>;
}

/** The abort reason when the service stops. `Queue.stop` records the state of the job. */
export const serviceStops = new Error('the service stops');

export const sealData = (sealing: Sealing, id: string, json: string) => sealedMark + sealing.seal(json, jobLabel(id));

export const openData = (sealing: Sealing, { id, data }: JobRow): unknown =>
  JSON.parse(data.startsWith(sealedMark) ? sealing.unseal(data.slice(sealedMark.length), jobLabel(id)) : data);

/** Runs one attempt. Never throws: if the database is unavailable, the lease expires and the job runs again. */
export async function runAttempt(
  context: Context,
  sealing: Sealing,
  handler: Handler,
  job: JobRow & { readonly lease: string },
  abort: AbortController,
): Promise<void> {
  const { database, log, metrics } = context;
  const onTimeout = () => abort.abort(new Error(`it took longer than ${handler.timeout} seconds`));
  const timer = setTimeout(onTimeout, handler.timeout * 1000).unref();
  try {
    if (job.attempts > handler.attempts) return await failLostJob(context, handler, job);
    const span = {
      kind: 'consumer',
      attributes: { 'gatehouse.job.id': job.id, 'gatehouse.job.attempt': job.attempts },
    } as const;
    const failure = await inSpan(`job ${job.name}`, span, () => run(sealing, handler, job, abort.signal));
    if (failure === undefined) {
      await deleteLeased(database.db, job);
      metrics.jobAttempts.inc({ result: 'done' });
    } else if (abort.signal.reason !== serviceStops) await recordFailure(context, handler, job, failure);
  } catch (error) {
    log.warn({ err: error, job: job.id, name: job.name }, 'the result of a job could not be recorded');
  } finally {
    clearTimeout(timer);
  }
}

/** Fails a job whose last attempt has no result, so that a job that ends its process does not run forever. */
async function failLostJob(context: Context, { onLost }: Handler, job: JobRow & Lease): Promise<void> {
  const reason = 'the process ended during the last attempt, or the limit of attempts was lowered';
  await onLost?.({ key: job.id }, reason);
  await recordLastFailure(context, { ...job, attempts: job.attempts - 1 }, reason);
}

/** The reason of a failure. Undefined on success. */
async function run(sealing: Sealing, { handle }: Handler, job: JobRow, signal: AbortSignal) {
  const { id: key, name, subject, attempts: attempt, created_at: createdAt } = job;
  try {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const data = openData(sealing, job);
    await Promise.race([handle({ key, name, data, subject, attempt, createdAt, signal }), aborted]);
    return undefined;
  } catch (error) {
    // A failed fetch has its reason in the cause.
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return `${reasonOf(error)}${cause}`.slice(0, 500) || 'it failed without a message';
  }
}

async function recordFailure(context: Context, handler: Handler, job: JobRow & Lease, reason: string): Promise<void> {
  const { database, log, metrics, now } = context;
  const { id, name, attempts } = job;
  if (attempts < handler.attempts) {
    const delayMs = retryDelayMs(attempts);
    log.warn(
      { job: id, name, attempts, reason, retryInSeconds: Math.round(delayMs / 1000) },
      'a job failed and will be retried',
    );
    metrics.jobAttempts.inc({ result: 'retried' });
    await postponeJob(database.db, job, now() + delayMs, reason);
    return;
  }
  await recordLastFailure(context, job, reason);
}

async function recordLastFailure(context: Context, job: JobRow & Lease, reason: string): Promise<void> {
  const { database, log, metrics, now } = context;
  const { id, name, attempts } = job;
  if (!(await failJob(database.db, job, now(), reason))) return;
  log.error(
    { job: id, name, attempts, reason },
    'a job failed at its last attempt; Gatehouse keeps it, and an administrator can retry it',
  );
  metrics.jobAttempts.inc({ result: 'failed' });
  await recordEvent(context, database.db, { type: 'job.failed', source: systemSource, data: { id, name, attempts } });
}
