import type { Logger } from 'pino';
import type { Engine, OperatorTx } from '../../database/database.ts';
import type { ServiceResourceOf } from '../declaration/resource-calls.ts';

export interface MigrationCall {
  /** The transaction that all of it happens in: what throws undoes everything. */
  readonly tx: OperatorTx;
  /** Reads and writes declared resources in the transaction, as the API does: `resource('people').create({ … })`. */
  readonly resource: ServiceResourceOf;
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** A change of the database that takes code: run once, after what is new was added, before anything is demanded of it. */
export interface OwnMigration {
  up(call: MigrationCall): Promise<unknown> | unknown;
}

/** A file of MIGRATIONS_DIR: `export default defineMigration({ async up({ tx }) { … } })`. */
export const defineMigration = (migration: OwnMigration): OwnMigration => migration;
