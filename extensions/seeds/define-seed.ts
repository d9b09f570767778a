import type { Logger } from 'pino';
import type { OperatorDb } from '../../src/database/database.ts';
import type { ServiceResourceOf } from '../../src/resources/declaration/resource-calls.ts';
import type { MakeRow } from './row-factory.ts';

export interface SeedCall {
  /** Reads and writes resources as the API does, with the rights of the service. */
  readonly resource: ServiceResourceOf;
  /** Creates a row with these values and with made-up values for the other required fields: `make('books', { title: 'Emma' })`. */
  readonly make: MakeRow;
  readonly db: OperatorDb;
  /** The service's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly log: Logger;
}

/** Fills the database with rows, for development and for tests. */
export interface Seed {
  run(call: SeedCall): Promise<unknown> | unknown;
}

/** A file of SEEDS_DIR: `export default defineSeed({ async run({ resource }) { … } })`. */
export const defineSeed = (seed: Seed): Seed => seed;
