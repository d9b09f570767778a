import { isDeepStrictEqual } from 'node:util';
import type { ColumnSchema } from '../declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../declaration/fields/field-types.ts';
import { type Executor, readUnprepared } from '../sql/executor.ts';
import { type Fragment, quoted, raw, sql } from '../sql/sql-text.ts';
import {
  addColumn,
  addReference,
  createIndex,
  createTable,
  dropColumn,
  dropIndex,
  recastColumn,
  type Step,
} from './migration-steps.ts';
import { narrowColumn, type TablePlan } from './narrow-columns.ts';
import type { TableSchema } from './storage-schema.ts';

/** What brings the tables to the declarations, in order. */
export interface MigrationPlan {
  readonly steps: readonly Step[];
  /** What no flag can do: the data must be mended first. */
  readonly blockers: readonly string[];
}

export type Snapshots = ReadonlyMap<string, TableSchema>;

/** Compares what is stored with what is declared. Reads the tables where it matters what they hold. */
export async function planMigrations(executor: Executor, stored: Snapshots, wanted: Snapshots): Promise<MigrationPlan> {
  const { engine } = executor;
  const steps: Step[] = [];
  const blockers: string[] = [];
  const isNew = [...wanted].filter(([name]) => !stored.has(name));
  for (const [, schema] of isNew) steps.push(createTable(engine, schema));
  for (const [, { table, columns, indexes }] of isNew) {
    for (const [name, column] of Object.entries(columns)) steps.push(...addReference(engine, table, name, column));
    for (const [name, index] of Object.entries(indexes)) steps.push(createIndex(engine, table, name, index));
  }
  for (const [name, schema] of wanted) {
    const before = stored.get(name);
    if (before) await planTable({ executor, resource: name, table: schema.table, steps, blockers }, before, schema);
  }
  return { steps, blockers };
}

async function planTable(plan: TablePlan, before: TableSchema, after: TableSchema): Promise<void> {
  const { executor, resource, table, steps, blockers } = plan;
  const { engine } = executor;
  if (before.table !== table) {
    blockers.push(
      `${resource}: the table cannot be renamed from "${before.table}" to "${table}"; rename it by hand, or keep the name.`,
    );
    return;
  }
  const changedIndex = (name: string) => !isDeepStrictEqual(before.indexes[name], after.indexes[name]);
  const recreated = new Set<string>();
  const columnSteps: Step[] = [];
  for (const [name, old] of Object.entries(before.columns)) {
    const next = after.columns[name];
    if (next && sameStorage(old, next)) continue;
    recreated.add(name);
    if (next && canRecast(old, next)) columnSteps.push(...recastColumn(engine, table, name, next));
    else {
      columnSteps.push(await dropped(plan, name, old));
      if (next) columnSteps.push(...addColumn(engine, table, name, next));
    }
  }
  for (const [name, next] of Object.entries(after.columns)) {
    if (!before.columns[name]) columnSteps.push(...addColumn(engine, table, name, next));
  }
  // An index goes before its column does, and comes back after it.
  for (const [name, index] of Object.entries(before.indexes)) {
    if (changedIndex(name) || index.columns.some((column) => recreated.has(column))) steps.push(dropIndex(name));
  }
  steps.push(...columnSteps);
  for (const [name, next] of Object.entries(after.columns)) {
    const old = recreated.has(name) ? undefined : before.columns[name];
    const folded = after.columns[`${name}_folded`]?.from === name ? `${name}_folded` : undefined;
    await narrowColumn(plan, name, { before: old, after: next, folded });
  }
  for (const [name, index] of Object.entries(after.indexes)) {
    const stays = before.indexes[name] && !changedIndex(name) && !index.columns.some((column) => recreated.has(column));
    if (stays) continue;
    if (index.unique && (await hasDuplicates(executor, table, before, index.columns))) {
      blockers.push(
        `${resource}: rows hold the same ${index.columns.join(' and ')} twice, which can therefore not become unique; mend the rows first.`,
      );
    }
    steps.push(createIndex(engine, table, name, index));
  }
}

const sameStorage = (old: ColumnSchema, next: ColumnSchema): boolean =>
  old.storage === next.storage &&
  isDeepStrictEqual(old.references, next.references) &&
  (old.type === next.type || (isPlainText(old) && isPlainText(next)));

const isPlainText = ({ type }: ColumnSchema): boolean => fieldTypeNamed(type)?.isPlainText === true;

const canRecast = (old: ColumnSchema, next: ColumnSchema): boolean =>
  fieldTypeNamed(next.type)?.widens?.includes(old.type) ||
  (old.references !== undefined && old.references.table === next.references?.table);

async function dropped({ executor, resource, table }: TablePlan, name: string, old: ColumnSchema): Promise<Step> {
  const held =
    old.type === 'folded'
      ? 0
      : await count(
          executor,
          sql`select count(*) as n from ${raw(quoted(table))} where ${raw(quoted(name))} is not null`,
        );
  return held === 0
    ? dropColumn(table, name, undefined, '')
    : dropColumn(table, name, `${resource}.${old.field}`, `, which ${held} rows have a value in`);
}

async function hasDuplicates(
  executor: Executor,
  table: string,
  before: TableSchema,
  columns: readonly string[],
): Promise<boolean> {
  if (columns.some((column) => !before.columns[column])) return false;
  const list = raw(columns.map(quoted).join(', '));
  const filled = raw(columns.map((column) => `${quoted(column)} is not null`).join(' and '));
  const rows = await readUnprepared(
    executor,
    sql`select 1 as one from ${raw(quoted(table))} where ${filled} group by ${list} having count(*) > 1 limit 1`,
  );
  return rows.length > 0;
}

export async function count(executor: Executor, query: Fragment): Promise<number> {
  const [row] = await readUnprepared<{ n: number }>(executor, query);
  return row?.n ?? 0;
}
