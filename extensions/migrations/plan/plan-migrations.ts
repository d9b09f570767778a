import type { Engine } from '../../../src/database/database.ts';
import type { TableSchema, TableSchemas } from '../../../src/resources/schemas/storage-schema.ts';
import type { Executor } from '../../../src/resources/sql/executor.ts';
import { addColumn, createTables, type Step } from '../steps/migration-steps.ts';
import { type Permissions, planTable, type UndeclaredPart } from './plan-table.ts';

/** The steps that migrate the tables to the declarations, in order. */
export interface MigrationPlan {
  readonly steps: readonly Step[];
  /** The reasons why the plan cannot run, and the solutions. */
  readonly blockers: readonly string[];
  /** Columns and tables that are no longer declared, and that stay. */
  readonly unnamed: readonly UndeclaredPart[];
  readonly schemas: TableSchemas;
}

/** Compares the stored schemas with the declared ones. Reads rows if the plan depends on their values. */
export async function planMigrations(
  executor: Executor,
  stored: TableSchemas,
  declared: TableSchemas,
  options: { readonly permissions: Permissions; readonly freeNumber: string },
): Promise<MigrationPlan> {
  const blockers: string[] = [];
  const unnamed: UndeclaredPart[] = [];
  const schemas = newTables(stored, declared);
  const steps = createTables(executor.engine, [...schemas.values()]);
  for (const [name, schema] of declared) {
    const before = stored.get(name);
    if (!before) continue;
    const output = { steps, blockers, unnamed };
    const { table } = schema;
    const plan = { executor, resource: name, table, before, after: schema, ...options, ...output };
    schemas.set(name, await planTable(plan));
  }
  return { steps, blockers, unnamed, schemas };
}

const newTables = (stored: TableSchemas, declared: TableSchemas) =>
  new Map([...declared].filter(([name]) => !stored.has(name)));

/**
 * Plans new tables and columns without their constraints, so that the operator's migrations can fill them. Required and unique fields are
 * checked after those migrations.
 */
export function planAdditions(engine: Engine, stored: TableSchemas, declared: TableSchemas) {
  const created = newTables(stored, declared);
  const steps = createTables(engine, [...created.values()], { withIndexes: false });
  const schemas = new Map(stored);
  const withoutConstraints = ({ columns }: TableSchema): TableSchema['columns'] =>
    Object.fromEntries(
      Object.entries(columns).map(([name, { default: _default, ...column }]) => [name, { ...column, required: false }]),
    );
  for (const [name, schema] of created)
    schemas.set(name, { ...schema, columns: withoutConstraints(schema), indexes: {} });
  for (const [name, schema] of declared) {
    const before = stored.get(name);
    if (!before || before.table !== schema.table) continue;
    const added = Object.entries(schema.columns).filter(([column]) => !before.columns[column]);
    for (const [column, columnSchema] of added) steps.push(...addColumn(engine, schema.table, column, columnSchema));
    const columns = withoutConstraints({ ...schema, columns: Object.fromEntries(added) });
    schemas.set(name, { ...before, columns: { ...before.columns, ...columns } });
  }
  return { steps, schemas };
}
