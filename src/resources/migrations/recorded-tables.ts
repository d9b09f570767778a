import type { RecordedTable } from '../../database/change-log/recorded-table.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { compileResources } from '../model/resource.ts';
import { secretNamePattern } from '../write/changes.ts';

/** Records all columns that rules, searches and computed fields may need, except hidden columns whose name suggests a secret. */
export function recordedTables(definitions: readonly ResourceDefinition[]) {
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
