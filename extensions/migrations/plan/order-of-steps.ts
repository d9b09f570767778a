import type { Step } from '../steps/migration-steps.ts';
import type { RemainingStatements } from '../steps/run-before-transaction.ts';

type Tables = ReadonlySet<string>;

const columnName = (table: string, name: string): string => JSON.stringify([table, name]);

/** Whether this is an index on an existing table that only makes reads faster. A unique index is a constraint. */
const isDeferrableIndex = ({ index }: Step, tables: Tables): boolean =>
  index !== undefined && !index.unique && tables.has(index.table);

/** The steps without the new indexes that can be created later. `tables`: the existing tables. */
export function withoutDeferrableIndexes(steps: readonly Step[], tables: Tables): Step[] {
  const replaced = new Set(steps.flatMap(({ dropsIndex }) => dropsIndex ?? []));
  return steps.filter((step) => !isDeferrableIndex(step, tables) || replaced.has(step.index?.name ?? ''));
}

/** The steps that can run before the transaction. Steps of columns that the transaction drops cannot. */
export function stepsBeforeTransaction(steps: readonly Step[]): Step[] {
  const dropped = new Set(
    steps.flatMap(({ dropsColumn: column }) => (column ? [columnName(column.table, column.name)] : [])),
  );
  return steps.filter(({ column, rows, index }) => {
    const usedColumns = [
      ...(column ? [columnName(column.table, column.name)] : []),
      ...(rows?.columns.map((name) => columnName(rows.table, name)) ?? []),
      ...(index?.columns.map((name) => columnName(index.table, name)) ?? []),
    ];
    return !usedColumns.some((name) => dropped.has(name));
  });
}

/**
 * The steps inside the transaction, and the indexes that are created after it (`later`), because creating them would lock a large table for
 * a long time.
 */
export function splitByTransaction(steps: readonly Step[], tables: Tables, remaining: RemainingStatements) {
  const isDeferred = (step: Step) => !remaining.has(step.description) && isDeferrableIndex(step, tables);
  return { now: steps.filter((step) => !isDeferred(step)), later: steps.filter(isDeferred) };
}
