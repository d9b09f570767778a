import { fold } from '../declaration/fields/folding.ts';
import { type Executor, writeUnprepared } from '../sql/executor.ts';
import { type Fragment, join, quoted, raw, sql } from '../sql/sql-text.ts';
import { batchSize, inBatches, type RowWork } from './compute-column.ts';
import type { Step } from './migration-steps.ts';
import { rowCount } from './rows-in-words.ts';
import { countRowsWhere } from './rows-of-table.ts';
import type { TableSchema } from './storage-schema.ts';

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
    const missing = await countRowsWhere(executor, column.table, sql`${raw(quoted(column.name))} is null`);
    if (missing === 0) continue;
    steps.push({
      description: `fill "${column.table}.${column.name}" with its default: another version wrote ${rowCount(missing)} without it`,
      statements: [],
      rowsOnly: true,
      rows: fillDefault(column),
    });
  }
  return steps;
}

export function fillDefault(column: DefaultedColumn): RowWork {
  const [table, name] = [raw(quoted(column.table)), raw(quoted(column.name))];
  return {
    table: column.table,
    columns: [column.name],
    run: (executor, onProgress) =>
      inBatches(async (after) => {
        const rows = await writeUnprepared(
          executor,
          sql`update ${table} set ${assignments(column)} where ${name} is null and "id" in (select "id" from ${table} where "id" > ${after} and ${name} is null order by "id" limit ${batchSize}) returning "id"`,
        );
        return rows.map(({ id }) => id);
      }, onProgress),
  };
}
