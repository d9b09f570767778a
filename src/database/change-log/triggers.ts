import type { Engine, Tx } from '../database.ts';
import * as postgres from './postgres-triggers.ts';
import type { RecordedTable } from './recorded-table.ts';
import * as sqlite from './sqlite-triggers.ts';

const of = (engine: Engine) => (engine === 'sqlite' ? sqlite : postgres);

/** Triggers record every write, including those of hooks, commands, cascades and plain SQL. */
export const updateTriggers = (
  engine: Engine,
  tx: Tx,
  recorded: readonly RecordedTable[],
  unrecorded: readonly string[],
): Promise<void> => of(engine).updateTriggers(tx, recorded, unrecorded);

/** Call it in the transaction that changes the columns, before the change. */
export const dropTriggers = (engine: Engine, tx: Tx, tables: readonly string[]): Promise<void> =>
  of(engine).dropTriggers(tx, tables);
