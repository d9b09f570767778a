import { fold } from '../../../src/resources/declaration/fields/folding.ts';
import {
  type ColumnWithDefault,
  columnsWithDefault,
  foldedColumns,
  isUnfolded,
  lacksDefault,
} from '../../../src/resources/schemas/columns-with-default.ts';
import type { TableSchema } from '../../../src/resources/schemas/storage-schema.ts';
import { type Executor, writeUnprepared } from '../../../src/resources/sql/executor.ts';
import { type Fragment, join, quoted, raw, sql } from '../../../src/resources/sql/sql-text.ts';
import { batchSize, foldColumn, inBatches, type RowWork } from './compute-column.ts';
import type { Step } from './migration-steps.ts';
import { rowCount } from './rows-in-words.ts';
import { countRowsWhere } from './rows-of-table.ts';

const assignments = ({ name, value, folded }: ColumnWithDefault): Fragment =>
  join(
    [
      sql`${raw(quoted(name))} = ${value}`,
      ...(folded ? [sql`${raw(quoted(folded))} = ${typeof value === 'string' ? fold(value) : null}`] : []),
    ],
    ', ',
  );

/**
 * Steps for rows that lack the default of a required field, or the folded text of a searchable or sortable field. During a rolling upgrade,
 * a version with the earlier declaration writes such rows. Reads every row of the tables with such fields.
 */
export async function missingValues(executor: Executor, schemas: readonly TableSchema[]): Promise<Step[]> {
  const steps: Step[] = [];
  for (const column of schemas.flatMap(columnsWithDefault)) {
    const missing = await countRowsWhere(executor, column.table, lacksDefault(column));
    if (missing === 0) continue;
    steps.push({
      description: `fill "${column.table}.${column.name}" with its default: another version wrote ${rowCount(missing)} without it`,
      statements: [],
      rowsOnly: true,
      rows: fillDefault(column),
    });
  }
  for (const column of schemas.flatMap(foldedColumns)) {
    const { table, name, from } = column;
    const missing = await countRowsWhere(executor, table, isUnfolded(column));
    if (missing === 0) continue;
    steps.push({
      description: `fill "${table}.${name}": another version wrote ${rowCount(missing)} without it`,
      statements: [],
      rowsOnly: true,
      rows: foldColumn(table, from, name),
    });
  }
  return steps;
}

export function fillDefault(column: ColumnWithDefault): RowWork {
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
