import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import type { Tx } from '../../src/database/database.ts';
import { reasonOf } from '../../src/platform/errors.ts';
import { type Job, scheduleSubject } from '../../src/resources/queue/job.ts';
import type { Queue } from '../../src/resources/queue/queue.ts';
import { hasOpenRun, runNotEnded } from '../../src/resources/queue/queued-run-store.ts';
import type { JobDefinition } from './define-job.ts';
import { nextRun } from './schedule.ts';
import {
  claimRun,
  findRun,
  findSchedules,
  insertRun,
  type ScheduleRow,
  saveSchedule,
  updateRun,
} from './schedule-store.ts';

type Scheduled = Required<Pick<JobDefinition, 'name' | 'schedule' | 'timeZone'>>;

const defaultTimeZone = 'UTC';

/**
 * Queues the runs of scheduled jobs. Every instance checks for due runs. The instance that advances `next_run_at` queues the run in the
 * same transaction, so that each run is queued once.
 */
export class Scheduler {
  readonly #context: Context;
  readonly #queue: Queue;
  readonly #jobs: ReadonlyMap<string, Scheduled>;
  #synced = false;

  constructor(context: Context, queue: Queue, jobs: readonly JobDefinition[]) {
    this.#context = context;
    this.#queue = queue;
    this.#jobs = new Map(
      jobs.flatMap(({ name, schedule, timeZone = defaultTimeZone }) =>
        schedule === undefined ? [] : [[name, { name, schedule, timeZone }]],
      ),
    );
  }

  get names(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** Queues the due runs. Several missed runs of a job are queued as one. */
  async tick(): Promise<void> {
    if (this.#jobs.size === 0) return;
    const { database, now } = this.#context;
    await this.syncSchedules();
    const due = (await findSchedules(database.db, this.names)).filter(({ next_run_at }) => next_run_at <= now());
    for (const row of due) await this.#queueDue(row);
  }

  async syncSchedules(): Promise<void> {
    if (this.#synced || this.#jobs.size === 0) return;
    const { database, now } = this.#context;
    const stored = new Map((await findSchedules(database.db, this.names)).map((row) => [row.id, row]));
    for (const { name, schedule, timeZone } of this.#jobs.values()) {
      const row = stored.get(name);
      if (row?.schedule === schedule && row.time_zone === timeZone) continue;
      await saveSchedule(database.db, {
        id: name,
        schedule,
        time_zone: timeZone,
        next_run_at: nextRun(schedule, timeZone, now()) ?? farFuture,
        last_run_at: null,
        last_state: null,
        created_at: now(),
      });
    }
    this.#synced = true;
  }

  async #queueDue(row: ScheduleRow): Promise<void> {
    const { database, now } = this.#context;
    const { schedule, timeZone } = this.#jobs.get(row.id) as Scheduled;
    const next = nextRun(schedule, timeZone, now()) ?? farFuture;
    await commitAndInvalidate(database, async (tx) => {
      // The next run waits until this one has ended.
      if (await hasOpenRun(tx, row.id)) return;
      if (await claimRun(tx, row, next)) await this.#queueRun(tx, row.id, row.next_run_at);
    });
  }

  /** Queues a run that somebody requested. Throws 409 while another run is open. */
  async requestRun(tx: Tx, name: string): Promise<string> {
    if (await hasOpenRun(tx, name)) throw runNotEnded();
    return this.#queueRun(tx, name, null);
  }

  /** Queues one run when the transaction commits. `scheduledFor`: null for a run that somebody requested. */
  async #queueRun(tx: Tx, name: string, scheduledFor: number | null): Promise<string> {
    const id = await this.#queue.enqueue(tx, { name, data: { scheduledFor }, subject: scheduleSubject });
    await this.#recordRun(tx, id, name, scheduledFor);
    return id;
  }

  #recordRun(tx: Tx | Context['database']['db'], id: string, name: string, scheduledFor: number | null) {
    const at = this.#context.now();
    const initialState = { state: 'waiting', attempts: 0, started_at: null, finished_at: null, error: null };
    return insertRun(tx, { id, job_id: name, scheduled_for: scheduledFor, created_at: at, ...initialState });
  }

  /** Records a run that bypasses the queue: `gatehouse job run`. */
  async recordManualRun(id: string, name: string): Promise<void> {
    await this.syncSchedules();
    if (this.#jobs.has(name)) await this.#recordRun(this.#context.database.db, id, name, null);
  }

  /** Runs one attempt and records its result. Does nothing if the run is already done. */
  async runAttempt(job: Pick<Job, 'key' | 'attempt'>, attempts: number, work: () => Promise<unknown>): Promise<void> {
    const { database, now } = this.#context;
    const run = await findRun(database.db, job.key);
    if (run?.state === 'done') return;
    const recordChange = async (change: Parameters<typeof updateRun>[2]) => {
      if (run) await updateRun(database.db, run, change);
    };
    await recordChange({ state: 'running', attempts: job.attempt, started_at: now() });
    try {
      await work();
    } catch (error) {
      const reason = reasonOf(error).slice(0, 500);
      const isLast = job.attempt >= attempts;
      await recordChange({ state: isLast ? 'failed' : 'waiting', error: reason, finished_at: isLast ? now() : null });
      throw error;
    }
    await recordChange({ state: 'done', finished_at: now(), error: null });
  }
}

/** The latest time that a timestamp can have. */
const farFuture = Date.UTC(9999, 11, 31);
