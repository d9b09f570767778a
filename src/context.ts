import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Tables } from './database/tables.ts';
import type { Metrics } from './metrics.ts';

/** Where events go besides the audit trail, if the setting EVENTS_LOG says so. */
export interface EventsOut {
  /** It was recorded, perhaps in a transaction that has not committed yet. */
  note(row: Tables['events']): void;
  /** Writes what has been committed; what cannot be written is kept. */
  flush(): Promise<void>;
}

/** What every feature stands on. Made once at start and passed as the first argument. */
export interface Context {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly eventsLog?: EventsOut | undefined;
  /** Milliseconds since 1970: the only clock, so that tests can step it. */
  now(): number;
}
