import type { Logger } from 'pino';
import type { Engine, OperatorTx } from '../../../src/database/database.ts';
import type { ServiceResourceOf } from '../../../src/resources/declaration/resource-calls.ts';

export interface MigrationCall {
  /** The transaction of the migration. An error undoes everything. */
  readonly tx: OperatorTx;
  /** Reads and writes declared resources in the transaction, as the API does: `resource('people').create({ … })`. */
  readonly resource: ServiceResourceOf;
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** A migration that needs code. It runs once, after new tables and columns were added and before their constraints are checked. */
export interface OwnMigration {
  up(call: MigrationCall): Promise<unknown> | unknown;
}

/** A file of MIGRATIONS_DIR: `export default defineMigration({ async up({ tx }) { … } })`. */
export const defineMigration = (migration: OwnMigration): OwnMigration => migration;
