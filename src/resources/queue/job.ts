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
  /** Aborted when the attempt has taken too long, or the service stops: another one follows. */
  readonly signal: AbortSignal;
}

/** An error causes another attempt: the work happens at least once. */
export type JobHandler = (job: Job) => Promise<unknown> | unknown;

export interface HandlerOptions {
  /** After so many it is given up, and kept as failed. The default is tried for about five days. */
  readonly attempts?: number;
  /** Seconds that one attempt may take. */
  readonly timeout?: number;
  /** For jobs that call foreign hosts. Each subject and each host (after the `@`) has a lane, so that a slow host delays no other. */
  readonly lanes?: Lanes;
}

/** How many jobs are under way at once on one instance. */
export interface Lanes {
  readonly ofSubject: number;
  readonly ofHost: number;
  readonly ofName: number;
}

export const subjectAt = (id: string, address: string): string => `${id}@${new URL(address).host}`;

export const hostOfSubject = (subject: string | null): string => subject?.slice(subject.lastIndexOf('@') + 1) ?? '';

export interface NewJob {
  readonly name: string;
  readonly data?: unknown;
  /** The subject of the job, for administrators. Never a secret. */
  readonly subject?: string;
  /** Not before so many seconds. */
  readonly after?: number;
  /** The data is sealed: the database alone does not reveal it. */
  readonly sealed?: boolean;
}

const firstPauseMs = 15_000;
const longestPauseMs = 60 * 60_000;
export const usualAttempts = 128;
export const usualTimeout = 300;

/** Twice as long each time, with jitter. */
export const pauseAfter = (attempts: number): number =>
  Math.round(Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs) * (0.8 + 0.2 * Math.random()));
