import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Metrics } from './metrics.ts';

/** What every feature stands on. Made once at start and passed as the first argument. */
export interface Context {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Milliseconds since 1970: the only clock, so that tests can step it. */
  now(): number;
}
