import type { Executor } from '../../sql/executor.ts';
import { addReference, createIndex, createTable, type Step } from '../migration-steps.ts';
import type { TableSchema } from '../storage-schema.ts';
import { type Permissions, planTable, type UndeclaredPart } from './plan-table.ts';

/** The steps that migrate the tables to the declarations, in order. */
export interface MigrationPlan {
  readonly steps: readonly Step[];
  /** The reasons why the plan cannot run, and the solutions. */
  readonly blockers: readonly string[];
  /** Columns and tables that are no longer declared, and that stay. */
  readonly unnamed: readonly UndeclaredPart[];
  readonly schemas: Snapshots;
}

export type Snapshots = ReadonlyMap<string, TableSchema>;

/** Compares the stored schemas with the declared ones. Reads rows if the plan depends on their values. */
export async function planMigrations(
  executor: Executor,
  stored: Snapshots,
  wanted: Snapshots,
  permissions: Permissions,
): Promise<MigrationPlan> {
  const { engine } = executor;
  const steps: Step[] = [];
  const blockers: string[] = [];
  const unnamed: UndeclaredPart[] = [];
  const schemas = new Map<string, TableSchema>();
  const isNew = [...wanted].filter(([name]) => !stored.has(name));
  for (const [name, schema] of isNew) {
    steps.push(createTable(engine, schema));
    schemas.set(name, schema);
  }
  for (const [, { table, columns, indexes }] of isNew) {
    for (const [name, column] of Object.entries(columns)) steps.push(...addReference(engine, table, name, column));
    for (const [name, index] of Object.entries(indexes)) steps.push(createIndex(engine, table, name, index));
  }
  for (const [name, schema] of wanted) {
    const before = stored.get(name);
    if (!before) continue;
    const plan = { executor, resource: name, table: schema.table, steps, blockers, unnamed, permissions };
    schemas.set(name, await planTable(plan, before, schema));
  }
  return { steps, blockers, unnamed, schemas };
}
