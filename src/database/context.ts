import type { Selectable } from 'kysely';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { BeginProgress } from '../platform/progress.ts';
import type { Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** An additional destination for events of the audit trail, set by EVENTS_LOG. */
export interface EventSink {
  /** Call it for each event, even before its transaction commits. */
  write(row: Selectable<Tables['events']>): void;
  /** Writes committed events. Events that cannot be written are kept. */
  flush(): Promise<void>;
}

/** The requests of callers in one time window, counted by all workers. */
export interface SharedCounts {
  readonly workers: number;
  /** Counts a request of this worker. The other workers are notified soon. */
  countRequest(windowEnds: number, caller: string): void;
  /**
   * Notifies the other workers at once. Returns the number of the caller's last request across all workers, or undefined without a
   * response.
   */
  totalOf(caller: string): Promise<number | undefined>;
  onRemoteCounts(
    listener: (windowEnds: number, counts: readonly (readonly [caller: string, count: number])[]) => void,
  ): void;
}

/** The other workers of this service on this machine (WORKERS). */
export interface OtherWorkers {
  counts(name: string): SharedCounts;
  readonly unresponsive: number;
  provideMetrics(read: () => Promise<object[]>): void;
  aggregatedMetrics(): Promise<string>;
}

export interface SentMail {
  readonly to: string;
  readonly template: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The services that every feature needs. They are created once at start and passed as the first argument. */
export interface Context {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly eventsLog?: EventSink | undefined;
  readonly otherWorkers?: OtherWorkers | undefined;
  /** Aborted when the service stops. Long work in the background ends early. */
  readonly stopping?: AbortSignal | undefined;
  /** Shows the progress of slow work during a start. */
  readonly progress?: BeginProgress | undefined;
  /** For tests: replaces the mail server. */
  readonly sendMail?: ((mail: SentMail) => void) | undefined;
  /** For tests: the queue and schedules run only when the test asks. */
  readonly idle?: boolean | undefined;
  /** Milliseconds since 1970: the only clock, so that tests can step it. */
  now(): number;
}
