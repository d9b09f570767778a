import { randomUUID } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';
import { type Handler, openData, runAttempt, type Sealing, serviceStops } from './attempt.ts';
import { enqueueAll } from './enqueue.ts';
import {
  type ConcurrencyLimits,
  defaultAttempts,
  defaultTimeout,
  type HandlerOptions,
  hostOfSubject,
  type JobHandler,
  type NewJob,
} from './job.ts';
import {
  countJobs,
  hasDueJobs,
  type JobRow,
  jobStates,
  leaseDueJobs,
  listJobs,
  releaseJob,
  renewLeases,
} from './job-store.ts';
import { Poller } from './poller.ts';

/** A lease is renewed while the job runs. It expires if the instance crashes. */
const leaseMs = 30_000;
const renewEveryMs = 10_000;
/** The interval of the query for jobs that become due, and for jobs of other processes. */
const pollMs = 2000;
const maxConcurrency = 10;
/** The maximum number of concurrent jobs with one name, so that jobs that hang leave room for others. */
const maxConcurrencyPerName = 5;
const failedRetentionMs = 30 * 24 * 60 * 60_000;
const stopTimeoutMs = 2000;

interface Attempt {
  readonly name: string;
  readonly subject: string | null;
  readonly lease: string;
  readonly attempts: number;
  readonly abort: AbortController;
  readonly finished: Promise<void>;
}

/** Runs queued jobs at least once, each on one instance at a time. After a crash, another instance takes over. */
export class Queue {
  readonly #context: Context;
  readonly #sealing: Sealing;
  readonly #handlers = new Map<string, Handler>();
  readonly #running = new Map<string, Attempt>();
  readonly #poller: Poller;
  #renewTimer: NodeJS.Timeout | undefined;

  constructor(context: Context, sealing: Sealing) {
    this.#context = context;
    this.#sealing = sealing;
    this.#poller = new Poller(context.log, {
      poll: () => this.#startDueJobs(),
      isNeeded: () => this.#renewTimer !== undefined,
      intervalMs: pollMs,
      failureMessage: 'the queue could not be read; Gatehouse tries again',
    });
  }

  /** Sets the handler of the jobs with this name. Jobs without a handler wait. */
  handle<D>(
    name: string,
    handle: JobHandler<D>,
    { attempts = defaultAttempts, timeout = defaultTimeout, lanes, onLost }: HandlerOptions = {},
  ): void {
    if (this.#handlers.has(name)) throw new Error(`two handlers are named ${name}`);
    this.#handlers.set(name, { handle, attempts, timeout, lanes, onLost });
  }

  handles(name: string): boolean {
    return this.#handlers.has(name);
  }

  async enqueue(db: Db | Tx, job: NewJob): Promise<string> {
    const [key = ''] = await enqueueAll(this.#context, db, [job], this.#sealing);
    return key;
  }

  start(): void {
    this.#renewTimer = setInterval(() => void this.#renew(), renewEveryMs).unref();
    this.#context.database.bus.onWake(() => void this.#poller.wake());
    void this.#poller.wake();
  }

  /** Runs all due jobs once. Never throws: failed jobs run again later. */
  async runDueJobs(): Promise<void> {
    for (;;) {
      await this.#poller.wake();
      if (this.#running.size === 0) return;
      await Promise.all([...this.#running.values()].map(({ finished }) => finished));
    }
  }

  /** All queued, running and failed jobs, with their data. For tests. */
  async storedJobs() {
    const rows = await listJobs(this.#context.database.db);
    return rows.map((row) => ({
      key: row.id,
      name: row.name,
      data: openData(this.#sealing, row),
      subject: row.subject,
      attempt: row.attempts,
      createdAt: row.created_at,
      state: row.failed_at === null ? ('waiting' as const) : ('failed' as const),
      error: row.last_error,
    }));
  }

  /** Starts no more jobs, and waits a short time for running ones. Other instances take over the rest. */
  async stop(): Promise<void> {
    clearInterval(this.#renewTimer);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, stopTimeoutMs);
    });
    const waitForRunning = async () => {
      await this.#poller.stop();
      await Promise.all([...this.#running.values()].map(({ finished }) => finished));
    };
    await Promise.race([waitForRunning(), timeout]);
    clearTimeout(timer);
    const { database, now } = this.#context;
    for (const [id, { lease, attempts, abort }] of this.#running) {
      abort.abort(serviceStops);
      await releaseJob(database.db, { id, lease, attempts }, now()).catch(() => undefined);
    }
  }

  async prune(): Promise<void> {
    const { database, now, metrics } = this.#context;
    await pruneBefore(this.#context, 'queued_jobs', 'failed_at', now() - failedRetentionMs);
    const counts = await countJobs(database.db, now());
    for (const state of jobStates) metrics.jobs.set({ state }, 0);
    let mails = 0;
    for (const { name, state, count } of counts) {
      metrics.jobs.inc({ state }, Number(count));
      if (name === 'mail' && state !== 'failed') mails += Number(count);
    }
    metrics.mailQueue.set(mails);
  }

  async #startDueJobs(): Promise<void> {
    const { database, now } = this.#context;
    const names = [...this.#handlers.keys()].filter((name) => this.#freeSlots(name) > 0);
    if (names.length === 0 || !(await hasDueJobs(database.db, names, now()))) return;
    for (const name of names) {
      const lanes = this.#handlers.get(name)?.lanes;
      for (
        let freeSlots = this.#freeSlots(name), leased = 1;
        freeSlots > 0 && leased > 0;
        freeSlots = this.#freeSlots(name)
      ) {
        const lease = randomUUID();
        const limits = lanes ? { limit: 1, except: this.#fullLanes(name, lanes) } : { limit: freeSlots };
        const request = { name, lease, now: now(), until: now() + leaseMs, ...limits };
        const jobs = await leaseDueJobs(database.db, request);
        for (const job of jobs) this.#start(job, lease);
        leased = lanes ? jobs.length : 0;
      }
    }
  }

  /** Jobs with lanes have a separate limit, because they mostly wait for hosts. */
  #freeSlots(name: string): number {
    const running = [...this.#running.values()];
    const ofName = running.filter((attempt) => attempt.name === name).length;
    const lanes = this.#handlers.get(name)?.lanes;
    if (lanes) return Math.max(0, lanes.ofName - ofName);
    const runningWithoutLanes = running.filter((attempt) => !this.#handlers.get(attempt.name)?.lanes).length;
    return Math.max(0, Math.min(maxConcurrency - runningWithoutLanes, maxConcurrencyPerName - ofName));
  }

  #fullLanes(name: string, { ofSubject, ofHost }: ConcurrencyLimits): { subjects: string[]; hosts: string[] } {
    const subjects = [...this.#running.values()].flatMap((attempt) =>
      attempt.name === name && attempt.subject !== null ? [attempt.subject] : [],
    );
    const hosts = subjects.map(hostOfSubject);
    const atLimit = (values: string[], max: number) =>
      [...new Set(values)].filter((value) => values.filter((otherValue) => otherValue === value).length >= max);
    return { subjects: atLimit(subjects, ofSubject), hosts: atLimit(hosts, ofHost) };
  }

  #start(job: JobRow, lease: string): void {
    const abort = new AbortController();
    const handler = this.#handlers.get(job.name) as Handler;
    const finished = runAttempt(this.#context, this.#sealing, handler, { ...job, lease }, abort).finally(() => {
      this.#running.delete(job.id);
      void this.#poller.wake();
    });
    const { name, subject, attempts } = job;
    this.#running.set(job.id, { name, subject, attempts, lease, abort, finished });
  }

  async #renew(): Promise<void> {
    const { database, log, now } = this.#context;
    const leases = [...new Set([...this.#running.values()].map(({ lease }) => lease))];
    if (leases.length === 0) return;
    await renewLeases(database.db, leases, now() + leaseMs).catch((error: unknown) =>
      log.warn({ err: error }, 'the leases of jobs could not be renewed'),
    );
  }
}
