import type { Engine } from '../../../src/database/database.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import type { TableSchema, TableSchemas } from '../../../src/resources/schemas/storage-schema.ts';
import type { Executor } from '../../../src/resources/sql/executor.ts';
import { type Fragment, quoted, raw } from '../../../src/resources/sql/sql-text.ts';
import type { Step } from '../steps/migration-steps.ts';
import { hasRows } from '../steps/rows-of-table.ts';
import type { Permissions } from './plan-table.ts';

type NamedSchema = readonly [name: string, schema: TableSchema];

/**
 * The steps that drop undeclared tables, and the resources whose stored schemas to delete. A renamed resource has a stored schema under
 * each of its names. `schemas`: those of the declared resources after the migration.
 */
export async function dropTables(
  executor: Executor,
  stored: TableSchemas,
  schemas: TableSchemas,
  { empty, names }: Permissions['drop'],
): Promise<{ steps: Step[]; abandoned: string[] }> {
  const declaredTables = new Set([...schemas.values()].map(({ table }) => table));
  const undeclared = [...stored].filter(([name, { table }]) => !schemas.has(name) && !declaredTables.has(table));
  const tables = new Set<string>();
  for (const [name, { table }] of undeclared)
    if (names.includes(name) || (empty && !(await hasRows(executor, table)))) tables.add(table);
  for (;;) {
    const reference = findReference([...schemas, ...undeclared.filter(([, { table }]) => !tables.has(table))], tables);
    if (!reference) break;
    if (!empty)
      throw new OperatorError(`--drop: ${reference.field} refers to the table "${reference.table}". Drop both.`);
    tables.delete(reference.table);
  }
  const dropped = undeclared.filter(([, { table }]) => tables.has(table));
  const described = empty ? [...new Map(dropped.map((each) => [each[1].table, each])).values()] : dropped;
  const steps = described
    .filter(([name]) => empty || names.includes(name))
    .map(([name, { table }], i): Step => {
      const description = `drop the table "${table}" of ${name}, which is no longer declared`;
      return { description, drops: name, statements: i === 0 ? dropStatements(executor.engine, [...tables]) : [] };
    });
  return { steps, abandoned: dropped.map(([name]) => name) };
}

/** A column of a table that stays, and the table to which it refers. */
function findReference(staying: readonly NamedSchema[], tables: ReadonlySet<string>) {
  for (const [name, { columns }] of staying)
    for (const { field, references } of Object.values(columns))
      if (references && tables.has(references.table)) return { field: `${name}.${field}`, table: references.table };
  return undefined;
}

/** All tables at once, because they may refer to each other. */
function dropStatements(engine: Engine, tables: readonly string[]): Fragment[] {
  if (engine === 'postgres') return [raw(`drop table ${tables.map(quoted).join(', ')}`)];
  return [raw('pragma defer_foreign_keys = on'), ...tables.map((table) => raw(`drop table ${quoted(table)}`))];
}
