import type { Engine, Tx } from '../database.ts';
import * as postgres from './postgres-triggers.ts';
import type { RecordedTable } from './recorded-table.ts';
import * as sqlite from './sqlite-triggers.ts';

const of = (engine: Engine) => (engine === 'sqlite' ? sqlite : postgres);

/**
 * Triggers record every write: of the API, hooks, commands, cascades and plain SQL. This creates or replaces them, and drops
 * those of the tables in `unrecorded`.
 */
export const updateTriggers = (
  engine: Engine,
  tx: Tx,
  recorded: readonly RecordedTable[],
  unrecorded: readonly string[],
): Promise<void> => of(engine).updateTriggers(tx, recorded, unrecorded);

/** To be called before columns change, in the transaction that changes them. */
export const dropTriggers = (engine: Engine, tx: Tx, tables: readonly string[]): Promise<void> =>
  of(engine).dropTriggers(tx, tables);
