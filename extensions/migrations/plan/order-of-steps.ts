import type { Step } from '../steps/migration-steps.ts';
import type { RemainingStatements } from '../steps/run-before-transaction.ts';

type Tables = ReadonlySet<string>;

const columnName = (table: string, name: string): string => JSON.stringify([table, name]);

/** Whether this is an index on an existing table that only makes reads faster. A unique index is a constraint. */
const isDeferrableIndex = ({ index }: Step, tables: Tables): boolean =>
  index !== undefined && !index.unique && tables.has(index.table);

/** The steps without the new indexes that can be created later. `tables`: the existing tables. */
export function withoutDeferrableIndexes(steps: readonly Step[], tables: Tables): Step[] {
  const replaced = new Set(steps.flatMap(({ dropsIndex }) => dropsIndex?.name ?? []));
  return steps.filter((step) => !isDeferrableIndex(step, tables) || replaced.has(step.index?.name ?? ''));
}

/** The steps that fill in values which a unique index may refuse until the transaction has dropped it. */
function fillsAfterDrop(steps: readonly Step[]): ReadonlySet<Step> {
  const indexes = steps.flatMap(({ dropsIndex }) => (dropsIndex?.unique ? dropsIndex : []));
  const isIndexed = (table: string, name: string) =>
    indexes.some((index) => index.table === table && index.columns.includes(name));
  return new Set(
    steps.filter(({ rowsOnly, rows }) => rowsOnly && rows?.columns.some((name) => isIndexed(rows.table, name))),
  );
}

/** The steps that can run before the transaction. Steps of columns or unique indexes that the transaction drops cannot. */
export function stepsBeforeTransaction(steps: readonly Step[]): Step[] {
  const dropped = new Set(
    steps.flatMap(({ dropsColumn: column }) => (column ? [columnName(column.table, column.name)] : [])),
  );
  const afterDrop = fillsAfterDrop(steps);
  return steps.filter((step) => {
    const { column, rows, index } = step;
    const usedColumns = [
      ...(column ? [columnName(column.table, column.name)] : []),
      ...(rows?.columns.map((name) => columnName(rows.table, name)) ?? []),
      ...(index?.columns.map((name) => columnName(index.table, name)) ?? []),
    ];
    return !afterDrop.has(step) && !usedColumns.some((name) => dropped.has(name));
  });
}

/**
 * The steps inside the transaction, and the indexes and values that follow it (`later`), because they would lock a large table for a long
 * time.
 */
export function splitByTransaction(steps: readonly Step[], tables: Tables, remaining: RemainingStatements) {
  const afterDrop = fillsAfterDrop(steps);
  const isDeferred = (step: Step) =>
    !remaining.has(step.description) &&
    (isDeferrableIndex(step, tables) || (afterDrop.has(step) && tables.has(step.rows?.table ?? '')));
  return { now: steps.filter((step) => !isDeferred(step)), later: steps.filter(isDeferred) };
}
