export interface Job<D = unknown> {
  /** Unique, and the same in every attempt of the job. */
  readonly key: string;
  readonly name: string;
  readonly data: D;
  readonly subject: string | null;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Aborted when the attempt reaches its time limit, or when the service stops. Another attempt follows. */
  readonly signal: AbortSignal;
}

/** After an error, another attempt follows. So the work runs at least once. */
export type JobHandler<D = unknown> = (job: Job<D>) => Promise<unknown> | unknown;

export interface HandlerOptions {
  /** The maximum number of attempts. After them, the job is kept as failed. The default takes about five days. */
  readonly attempts?: number;
  /** The time limit of one attempt in seconds. */
  readonly timeout?: number;
  /**
   * For jobs that call external hosts. Each subject and each host (after the `@`) has a lane, so that a slow host does not delay other
   * hosts.
   */
  readonly lanes?: ConcurrencyLimits;
  /** Called if the process ended during the last attempt, before Gatehouse keeps the job as failed. */
  readonly onLost?: (job: Pick<Job, 'key'>, reason: string) => Promise<unknown>;
}

/** The maximum number of concurrent jobs on one instance. */
export interface ConcurrencyLimits {
  readonly ofSubject: number;
  readonly ofHost: number;
  readonly ofName: number;
}

export const subjectAt = (id: string, address: string): string => `${id}@${new URL(address).host}`;

export const hostOfSubject = (subject: string | null): string => subject?.slice(subject.lastIndexOf('@') + 1) ?? '';

/** The subject of the runs of scheduled jobs. */
export const scheduleSubject = 'schedule';

export interface NewJob {
  readonly name: string;
  readonly data?: unknown;
  /** The subject of the job, for administrators. Never a secret. */
  readonly subject?: string;
  /** The delay in seconds. */
  readonly after?: number;
  /** Whether the data is encrypted in the database. */
  readonly sealed?: boolean;
}

const firstDelayMs = 15_000;
const maxDelayMs = 60 * 60_000;
export const defaultAttempts = 128;
export const defaultTimeout = 300;

/** Each pause is twice as long as the one before, up to an hour, with jitter. */
export const retryDelayMs = (attempts: number): number =>
  Math.round(Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs) * (0.8 + 0.2 * Math.random()));
