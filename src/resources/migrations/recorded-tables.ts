import type { RecordedTable } from '../../database/change-log/recorded-table.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { compileResources } from '../model/resource.ts';
import { secretName } from '../write/changes.ts';

interface Tables {
  readonly recorded: RecordedTable[];
  /** Tables of declarations that do not ask for it. What the service itself has is not among them: commands do not know it. */
  readonly unrecorded: string[];
}

/**
 * The recorded columns of a row: all that its rules, searches and computed fields may need. Columns that are never shown and are
 * named like a secret are left out.
 */
export function recordedTables(definitions: readonly ResourceDefinition[]): Tables {
  const tables: Tables = { recorded: [], unrecorded: [] };
  const compiled = compileResources(definitions);
  for (const { name, definition, stored, versioned, changes } of compiled.values()) {
    const { table = name, managed } = definition;
    if (!changes) {
      if (managed) tables.unrecorded.push(table);
      continue;
    }
    const columns = new Set(['id']);
    for (const { name: field, column, foldedColumn, options } of stored) {
      if (options.writeOnly || (options.hidden && secretName.test(field))) continue;
      columns.add(column);
      if (foldedColumn) columns.add(foldedColumn);
    }
    if (versioned) columns.add('version');
    const needs = definition.recordedWith;
    tables.recorded.push({ resource: name, table, columns: [...columns], versioned, needs });
  }
  return tables;
}
