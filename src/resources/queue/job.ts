/** A job as its handler sees it. */
export interface Job<D = unknown> {
  /** The same however often the job is tried, and no other's: what tells a repeat. */
  readonly key: string;
  readonly name: string;
  readonly data: D;
  /** The subject of the job. */
  readonly subject: string | null;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Aborted when the attempt has taken too long, or the service stops: another one follows. */
  readonly signal: AbortSignal;
}

/** Returns when the work is done. What it throws has it tried again: it may happen twice, and never not at all. */
export type JobHandler = (job: Job) => Promise<unknown> | unknown;

export interface HandlerOptions {
  /** After so many it is given up, and kept as failed. The default is tried for about five days. */
  readonly attempts?: number;
  /** Seconds that one attempt may take. */
  readonly timeout?: number;
  /**
   * For jobs that call an address of somebody else's. Each subject has a lane of its own, and so has each host, which stands in
   * the subject after an `@`: a host that does not answer delays nobody else's jobs.
   */
  readonly lanes?: Lanes;
}

/** How many jobs are under way at once on one instance. */
export interface Lanes {
  readonly ofSubject: number;
  readonly ofHost: number;
  readonly ofName: number;
}

/** The subject of a job that calls an address: what it is about, and the host that it calls. */
export const subjectAt = (id: string, address: string): string => `${id}@${new URL(address).host}`;

export const hostOfSubject = (subject: string | null): string => subject?.slice(subject.lastIndexOf('@') + 1) ?? '';

export interface NewJob {
  readonly name: string;
  /** Whatever JSON can say. */
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

/** Twice as long each time. A little less by chance: what failed together is not tried together. */
export const pauseAfter = (attempts: number): number =>
  Math.round(Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs) * (0.8 + 0.2 * Math.random()));
