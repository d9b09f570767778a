import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { BeginProgress } from '../platform/progress.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** Where events go besides the audit trail, if the setting EVENTS_LOG says so. */
export interface EventsOut {
  /** It was recorded, perhaps in a transaction that has not committed yet. */
  note(row: Tables['events']): void;
  /** Writes what has been committed; what cannot be written is kept. */
  flush(): Promise<void>;
}

/** How often callers have asked, in one window of time that all workers share. */
export interface SharedCounts {
  /** How many workers count together. */
  readonly workers: number;
  /** One more by this worker: the others learn of it soon. */
  note(windowEnds: number, caller: string): void;
  /**
   * Tells the others at once, and returns the number of the request that was noted last for the caller, in the order of all workers.
   * Undefined where nobody answers.
   */
  numberOf(caller: string): Promise<number | undefined>;
  /** Calls `hear` with the counts of other workers. */
  onHeard(hear: (windowEnds: number, counts: readonly (readonly [caller: string, count: number])[]) => void): void;
}

/** The other processes of this service on this machine, where there are any (WORKERS). */
export interface Siblings {
  counts(name: string): SharedCounts;
  /** How many of them hang at the moment. */
  readonly silent: number;
  /** Says how the others learn the figures of this one. */
  showFigures(read: () => Promise<object[]>): void;
  /** The figures of all, summed, as Prometheus reads them. */
  sumFigures(): Promise<string>;
}

/** A mail as it is sent. */
export interface SentMail {
  readonly to: string;
  readonly template: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What every feature stands on. Made once at start and passed as the first argument. */
export interface Context {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly eventsLog?: EventsOut | undefined;
  readonly siblings?: Siblings | undefined;
  /** Shows what takes long at a start to a person who waits for it. */
  readonly progress?: BeginProgress | undefined;
  /** Takes mail in place of a mail server: for tests. */
  readonly sendMail?: ((mail: SentMail) => void) | undefined;
  /** The queue and schedules do nothing by themselves: a test has them work. */
  readonly idle?: boolean | undefined;
  /** Milliseconds since 1970: the only clock, so that tests can step it. */
  now(): number;
}
