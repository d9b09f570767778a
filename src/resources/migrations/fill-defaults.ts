import { fold } from '../declaration/fields/folding.ts';
import { type Executor, readUnprepared, writeUnprepared } from '../sql/executor.ts';
import { type Fragment, join, quoted, raw, sql } from '../sql/sql-text.ts';
import type { Step } from './migration-steps.ts';
import { rowCount } from './rows-in-words.ts';
import { countRowsWhere, inBatches } from './rows-of-table.ts';
import type { TableSchema } from './storage-schema.ts';

const batchSize = 1000;

/** A required column, and the default for rows that another version wrote without a value. */
interface DefaultedColumn {
  readonly table: string;
  readonly name: string;
  readonly value: unknown;
  readonly folded: string | undefined;
}

/** Only constant defaults. A default that depends on the caller cannot be computed for existing rows. */
export function defaultedColumns({ table, columns, indexes }: TableSchema): DefaultedColumn[] {
  const isUnique = (name: string) =>
    Object.values(indexes).some((index) => index.unique && index.columns.includes(name));
  return Object.entries(columns).flatMap(([name, { default: value, required, unnamed, from }]) => {
    const applies = required && !unnamed && !from && value !== undefined && value !== null && !isUnique(name);
    const folded = columns[`${name}_folded`]?.from === name ? `${name}_folded` : undefined;
    return applies ? [{ table, name, value, folded }] : [];
  });
}

const assignments = ({ name, value, folded }: DefaultedColumn): Fragment =>
  join(
    [
      sql`${raw(quoted(name))} = ${value}`,
      ...(folded ? [sql`${raw(quoted(folded))} = ${typeof value === 'string' ? fold(value) : null}`] : []),
    ],
    ', ',
  );

/**
 * Steps for rows that lack a value although the field is required and has a default. During a rolling upgrade, a version in which the field
 * is optional writes such rows. Reads every row of the tables with such fields.
 */
export async function missingDefaults(executor: Executor, schemas: Iterable<TableSchema>): Promise<Step[]> {
  const steps: Step[] = [];
  for (const column of [...schemas].flatMap(defaultedColumns)) {
    const [table, name] = [raw(quoted(column.table)), raw(quoted(column.name))];
    const missing = await countRowsWhere(executor, column.table, sql`${name} is null`);
    if (missing === 0) continue;
    steps.push({
      description: `fill "${column.table}.${column.name}" with its default: another version wrote ${rowCount(missing)} without it`,
      statements: [sql`update ${table} set ${assignments(column)} where ${name} is null`],
      rowsOnly: true,
      withoutLock: { table: column.table, run: (executor, onProgress) => fillDefault(executor, column, onProgress) },
    });
  }
  return steps;
}

/** On PostgreSQL: fills a few rows at a time, without locking the table. */
export function fillDefault(
  executor: Executor,
  column: DefaultedColumn,
  onProgress: (rows: number) => void,
): Promise<void> {
  const [table, name] = [raw(quoted(column.table)), raw(quoted(column.name))];
  return inBatches(async (after) => {
    const rows = await readUnprepared<{ id: string }>(
      executor,
      sql`select "id" from ${table} where "id" > ${after} and ${name} is null order by "id" limit ${batchSize}`,
    );
    const ids = rows.map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) return undefined;
    await writeUnprepared(
      executor,
      sql`update ${table} set ${assignments(column)} where "id" = any(${ids}) and ${name} is null`,
    );
    return { id: last, rows: ids.length };
  }, onProgress);
}
