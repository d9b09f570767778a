import * as postgres from '../../database/change-log/postgres-triggers.ts';
import type { RecordedTable } from '../../database/change-log/recorded-table.ts';
import * as sqlite from '../../database/change-log/sqlite-triggers.ts';
import type { Engine, Tx } from '../../database/database.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { compileResources } from '../model/resource.ts';
import { secretNamePattern } from '../write/changes.ts';

/** Triggers record every write, including those of hooks, commands, cascades and plain SQL. */
const triggersOf = (engine: Engine) => (engine === 'sqlite' ? sqlite : postgres);

/** Creates and updates the triggers of tables with `changes`, and drops those of the others. */
export async function updateTriggers(engine: Engine, tx: Tx, definitions: readonly ResourceDefinition[]) {
  const { recorded, unrecorded } = recordedTables(definitions);
  await triggersOf(engine).updateTriggers(tx, recorded, unrecorded);
}

export async function dropTriggers(engine: Engine, tx: Tx, definitions: readonly ResourceDefinition[]) {
  const { recorded, unrecorded } = recordedTables(definitions);
  await triggersOf(engine).dropTriggers(tx, [...recorded.map(({ table }) => table), ...unrecorded]);
}

/** Records all columns that rules, searches and computed fields may need, except hidden columns whose name suggests a secret. */
function recordedTables(definitions: readonly ResourceDefinition[]) {
  const recorded: RecordedTable[] = [];
  /** Managed tables without `changes`. Built-in tables are not included. */
  const unrecorded: string[] = [];
  const compiled = compileResources(definitions);
  for (const { name, definition, stored, versioned, changes } of compiled.values()) {
    const { table = name, managed } = definition;
    if (!changes) {
      if (managed) unrecorded.push(table);
      continue;
    }
    const columns = new Set(['id']);
    for (const { name: field, column, foldedColumn, options } of stored) {
      if (options.writeOnly || (options.hidden && secretNamePattern.test(field))) continue;
      columns.add(column);
      if (foldedColumn) columns.add(foldedColumn);
    }
    if (versioned) columns.add('version');
    const needs = definition.recordedWith;
    recorded.push({ resource: name, table, columns: [...columns], versioned, requiredColumn: needs });
  }
  return { recorded, unrecorded };
}
