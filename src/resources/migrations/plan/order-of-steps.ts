import type { Step } from '../migration-steps.ts';
import type { TableSchema } from '../storage-schema.ts';
import type { DoneAhead } from '../work-ahead.ts';

type Tables = ReadonlySet<string>;

const columnName = (table: string, name: string): string => JSON.stringify([table, name]);

const droppedColumns = (steps: readonly Step[]): ReadonlySet<string> =>
  new Set(steps.flatMap(({ dropsColumn: dropped }) => (dropped ? [columnName(dropped.table, dropped.name)] : [])));

/** An index on an existing table that only makes reads faster. A unique index is a rule. */
const onlyHelps = ({ index }: Step, tables: Tables): boolean =>
  index !== undefined && !index.unique && tables.has(index.table);

/** Separates new indexes that can wait from other steps. `tables`: the existing tables. */
export function byTime(steps: readonly Step[], tables: Tables): { now: Step[]; later: Step[] } {
  const replaced = new Set(steps.flatMap(({ dropsIndex }) => dropsIndex ?? []));
  const isForLater = (step: Step) => onlyHelps(step, tables) && !replaced.has(step.index?.name ?? '');
  return { now: steps.filter((step) => !isForLater(step)), later: steps.filter(isForLater) };
}

/** The steps that can run before the transaction: not those of columns that it drops. */
export function onLastingColumns(steps: readonly Step[]): Step[] {
  const dropped = droppedColumns(steps);
  return steps.filter(({ column, fill, index }) => {
    const used = [
      ...(column ? [columnName(column.table, column.name)] : []),
      ...(fill ? [columnName(fill.table, fill.from), columnName(fill.table, fill.folded)] : []),
      ...(index?.columns.map((name) => columnName(index.table, name)) ?? []),
    ];
    return !used.some((name) => dropped.has(name));
  });
}

/**
 * The steps inside the transaction. An index on a large table would lock the table for long. `later`: ordinary indexes are created after
 * the transaction. `left`: so are unique indexes of columns that are empty in every row.
 */
export function inTransaction(steps: readonly Step[], tables: Tables, ahead: DoneAhead) {
  const dropped = droppedColumns(steps);
  const empty = new Set(
    steps
      .flatMap(({ column }) => (column && !column.isFilled ? [columnName(column.table, column.name)] : []))
      .filter((name) => dropped.has(name)),
  );
  const begins = ({ index }: Step): boolean =>
    index?.unique === true &&
    tables.has(index.table) &&
    index.columns.some((name) => empty.has(columnName(index.table, name)));
  const undone = (step: Step) => !ahead.has(step.says);
  const later = steps.filter((step) => undone(step) && onlyHelps(step, tables));
  const left = steps.filter((step) => undone(step) && begins(step));
  return {
    now: steps.filter((step) => !later.includes(step) && !left.includes(step)),
    later,
    left: new Set(left.map(({ index }) => index?.name ?? '')),
  };
}

export const withoutIndexes = (schema: TableSchema, names: ReadonlySet<string>): TableSchema =>
  names.size === 0
    ? schema
    : { ...schema, indexes: Object.fromEntries(Object.entries(schema.indexes).filter(([name]) => !names.has(name))) };
