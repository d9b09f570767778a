import { isDeepStrictEqual } from 'node:util';
import type { ColumnSchema } from '../../../src/resources/declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../../../src/resources/declaration/fields/field-types.ts';
import { fold } from '../../../src/resources/declaration/fields/folding.ts';
import { columnsWithDefault, isUnique } from '../../../src/resources/schemas/columns-with-default.ts';
import type { IndexSchema, TableSchema } from '../../../src/resources/schemas/storage-schema.ts';
import { readUnprepared } from '../../../src/resources/sql/executor.ts';
import { quoted, raw, sql } from '../../../src/resources/sql/sql-text.ts';
import { foldColumn } from '../steps/compute-column.ts';
import { addColumn, createIndex, dropColumn, dropIndex, type Step } from '../steps/migration-steps.ts';
import { rowsThat } from '../steps/rows-in-words.ts';
import { countRowsWhere, hasRows } from '../steps/rows-of-table.ts';
import { narrowColumn, suggestMigration, type TablePlan } from './narrow-columns.ts';
import { conversionOf, recastColumn } from './recast-column.ts';

/** A folded column is declared again. Rows were written without it meanwhile, so this folds the text again. */
function resumeColumn({ table }: TableSchema, name: string, { from }: ColumnSchema): Step[] {
  const description = `reuse the column "${name}" of "${table}"`;
  return from ? [{ description, statements: [], rows: foldColumn(table, from, name, { checksAll: true }) }] : [];
}

/** The data that may be dropped. A start drops nothing. */
export interface Permissions {
  /** Undeclared tables and columns that may be removed: all empty ones, or the named ones (`cars.color`) with their data. */
  readonly drop: { readonly empty: boolean; readonly names: readonly string[] };
  /** A column without values may get another type, even if its table has rows. */
  readonly retype: boolean;
}

/** A column or index that is no longer declared. */
export interface UndeclaredPart {
  readonly description: string;
  readonly fix: string;
}

interface Plan extends TablePlan {
  readonly permissions: Permissions;
  readonly unnamed: UndeclaredPart[];
  /** The stored and the declared schema. */
  readonly before: TableSchema;
  readonly after: TableSchema;
}

export async function planTable(plan: Plan): Promise<TableSchema> {
  const { resource, table, steps, blockers, before, after } = plan;
  if (before.table !== table) {
    blockers.push(
      `${resource}: the table cannot be renamed from "${before.table}" to "${table}"; rename it by hand, or keep the name.`,
    );
    return before;
  }
  const columnSteps: Step[] = [];
  const { recastColumns, droppedColumns, refusedColumns } = await changeColumns(plan, columnSteps);
  const unusedColumns = await keepUndeclaredColumns(plan, columnSteps);
  for (const name of Object.keys(before.columns))
    if (!unusedColumns[name] && !after.columns[name]) droppedColumns.add(name);
  const indexes = keepUndeclaredIndexes(plan, new Set([...recastColumns, ...droppedColumns]));
  steps.push(...columnSteps);
  const planned = { table, columns: { ...unusedColumns, ...after.columns }, indexes: { ...indexes, ...after.indexes } };
  // An index that stays may be unique, although its column is no longer declared so.
  const withDefaults = columnsWithDefault(planned);
  for (const [name, declaredColumn] of Object.entries(after.columns)) {
    if (refusedColumns.has(name)) continue;
    const storedColumn = droppedColumns.has(name) ? undefined : before.columns[name];
    // The earlier limits belong to the earlier type.
    const { max: _max, min: _min, ...unlimited } = declaredColumn;
    const { required = false, unnamed } = storedColumn ?? {};
    const converted =
      storedColumn && recastColumns.has(name) ? { ...unlimited, required, ...(unnamed && { unnamed }) } : storedColumn;
    const becomesText = recastColumns.has(name) && declaredColumn.storage === 'text';
    const withDefault = withDefaults.find((column) => column.name === name);
    const change = { before: converted, after: declaredColumn, becomesText, withDefault };
    await narrowColumn(plan, name, { ...change, unique: isUnique(planned, name) });
  }
  await makeIndexes(plan, droppedColumns);
  return planned;
}

async function changeColumns(plan: Plan, steps: Step[]) {
  const { executor, table, permissions, before, after } = plan;
  const { engine } = executor;
  const recastColumns = new Set<string>();
  const droppedColumns = new Set<string>();
  const refusedColumns = new Set<string>();
  for (const [name, declaredColumn] of Object.entries(after.columns)) {
    const storedColumn = before.columns[name];
    if (!storedColumn) steps.push(...addColumn(engine, table, name, withFoldedDefault(declaredColumn, before, after)));
    else if (hasSameStorage(storedColumn, declaredColumn)) {
      if (storedColumn.unnamed) steps.push(...resumeColumn(before, name, declaredColumn));
    } else {
      const conversion = conversionOf(storedColumn, declaredColumn);
      if (conversion) {
        recastColumns.add(name);
        steps.push(...recastColumn(engine, table, name, { storedColumn, declaredColumn, conversion }));
      } else {
        const filledRows = await countFilledRows(plan, name, storedColumn);
        if (filledRows === 0 && (permissions.retype || !(await hasRows(executor, table)))) {
          droppedColumns.add(name);
          steps.push(dropColumn(table, name), ...addColumn(engine, table, name, declaredColumn));
        } else {
          refusedColumns.add(name);
          rejectType(plan, name, declaredColumn, filledRows);
        }
      }
    }
  }
  return { recastColumns, droppedColumns, refusedColumns };
}

/** Rejects a new type: the stored values cannot be converted, or another version may use the column. */
function rejectType(plan: Plan, name: string, { field, type }: ColumnSchema, filledRows: number) {
  const { resource, table, blockers } = plan;
  const refusal = `${resource}.${field}: it cannot become ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
  if (filledRows === 0) {
    blockers.push(
      `${refusal} at startup, because other versions may use the column. Run npx gatehouse-server migrate.`,
    );
    return;
  }
  const emptyColumn = suggestMigration(plan, `empty-${table}-${name}`, `update ${table} set ${name} = null`);
  blockers.push(
    `${refusal}, because ${rowsThat(filledRows, 'have a value in it')}. Declare a new field and fill it in a migration of your own, or empty the column with npx gatehouse-server migrate and ${emptyColumn}.`,
  );
}

/** Adds the default of a folded column if its source is a new column with a constant default. */
function withFoldedDefault(column: ColumnSchema, before: TableSchema, { columns }: TableSchema): ColumnSchema {
  const source = column.from && !before.columns[column.from] ? columns[column.from] : undefined;
  return typeof source?.default === 'string' ? { ...column, default: fold(source.default) } : column;
}

/** Undeclared tables and columns stay until an operator allows their removal, because other versions may use them. */
async function keepUndeclaredColumns(plan: Plan, steps: Step[]) {
  const { resource, table, before, after, permissions, unnamed, blockers } = plan;
  const { drop } = permissions;
  const unusedColumns: Record<string, ColumnSchema> = {};
  const declared = new Set(Object.values(after.columns).map(({ field }) => field));
  for (const [name, storedColumn] of Object.entries(before.columns)) {
    if (after.columns[name]) continue;
    const qualifiedName = `${resource}.${storedColumn.field}`;
    const filledRows = await countFilledRows(plan, name, storedColumn);
    const isNamed = drop.names.includes(qualifiedName) && !declared.has(storedColumn.field);
    if (isNamed || (drop.empty && filledRows === 0)) {
      const reason = filledRows === 0 ? '' : `, which ${rowsThat(filledRows, 'have a value in')}`;
      steps.push(dropColumn(table, name, { drops: qualifiedName, reason }));
      continue;
    }
    unusedColumns[name] = { ...storedColumn, unnamed: true };
    if (name === 'deleted_at' && storedColumn.type === 'timestamp' && filledRows > 0) {
      blockers.push(
        `${resource}: softDelete is no longer declared, and its ${filledRows} deleted rows would reappear. Delete them for good first, or allow this: npx gatehouse-server migrate --drop ${qualifiedName}`,
      );
      continue;
    }
    if (storedColumn.type !== 'folded') {
      unnamed.push({
        description: `${qualifiedName} is no longer declared, and ${rowsThat(filledRows, 'have a value in it')}`,
        fix: `npx gatehouse-server migrate --drop ${qualifiedName}`,
      });
    }
  }
  return unusedColumns;
}

/** Drops indexes that change or whose columns are dropped. Returns undeclared indexes that stay. */
function keepUndeclaredIndexes(plan: Plan, changedColumns: ReadonlySet<string>): TableSchema['indexes'] {
  const { resource, table, before, after, steps, unnamed, permissions } = plan;
  const unusedIndexes: Record<string, TableSchema['indexes'][string]> = {};
  for (const [name, index] of Object.entries(before.indexes)) {
    const next = after.indexes[name];
    const isChanged = index.columns.some((column) => changedColumns.has(column));
    if (next && isDeepStrictEqual(index, next) && !isChanged) continue;
    if (next || isChanged || permissions.drop.empty) {
      steps.push(dropIndex(table, name, index));
      continue;
    }
    unusedIndexes[name] = index;
    if (index.unique && index.columns.every((column) => after.columns[column])) {
      const fields = index.columns.map((column) => after.columns[column]?.field).join(' and ');
      unnamed.push({
        description: `${resource}: ${fields} is no longer declared unique, but the column still is`,
        fix: 'npx gatehouse-server migrate --drop',
      });
    }
  }
  return unusedIndexes;
}

async function makeIndexes(plan: Plan, droppedColumns: ReadonlySet<string>): Promise<void> {
  const { executor, resource, table, before, after, steps, blockers } = plan;
  const dropped = new Set(steps.flatMap(({ dropsIndex }) => dropsIndex?.name ?? []));
  for (const [name, index] of Object.entries(after.indexes)) {
    if (before.indexes[name] && !dropped.has(name)) continue;
    if (index.unique && (await hasDuplicates(plan, index, droppedColumns))) {
      blockers.push(
        `${resource}: rows hold the same ${index.columns.join(' and ')} twice, so the column cannot become unique; correct the rows first, or remove the default of a new field.`,
      );
    }
    steps.push(createIndex(executor.engine, table, name, index));
  }
}

/** The number of rows with a value in a column. A folded column contains no data of its own. */
const countFilledRows = async ({ executor, table }: Plan, name: string, { type }: ColumnSchema) =>
  type === 'folded' ? 0 : countRowsWhere(executor, table, sql`${raw(quoted(name))} is not null`);

const hasSameStorage = (storedColumn: ColumnSchema, declaredColumn: ColumnSchema): boolean =>
  storedColumn.storage === declaredColumn.storage &&
  isDeepStrictEqual(storedColumn.references, declaredColumn.references) &&
  (storedColumn.type === declaredColumn.type || (isPlainText(storedColumn) && isPlainText(declaredColumn)));

const isPlainText = ({ type }: ColumnSchema): boolean => fieldTypeNamed(type)?.isPlainText === true;

async function hasDuplicates(
  { executor, table, before, after }: Plan,
  { columns, ofKept }: IndexSchema,
  droppedColumns: ReadonlySet<string>,
) {
  // In a new column, every row has the default.
  const isNew = (column: string) => !before.columns[column] || droppedColumns.has(column);
  if (columns.some((column) => isNew(column) && (after.columns[column]?.default ?? null) === null)) return false;
  const storedColumns = columns.filter((column) => !isNew(column)).map(quoted);
  const grouping = raw(storedColumns.length > 0 ? `group by ${storedColumns.join(', ')}` : '');
  const filledCondition = raw(['1 = 1', ...storedColumns.map((column) => `${column} is not null`)].join(' and '));
  const undeletedCondition = raw(ofKept && before.columns.deleted_at ? 'and "deleted_at" is null' : '');
  const rows = await readUnprepared(
    executor,
    sql`select count(*) as n from ${raw(quoted(table))} where ${filledCondition} ${undeletedCondition} ${grouping} having count(*) > 1 limit 1`,
  );
  return rows.length > 0;
}
