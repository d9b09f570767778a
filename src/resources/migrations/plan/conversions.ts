import { columnTypes } from '../../../database/migration.ts';
import type { ColumnSchema } from '../../declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../../declaration/fields/field-types.ts';
import { type Executor, readUnprepared, writeUnprepared } from '../../sql/executor.ts';
import { Fragment, quoted, raw, sql } from '../../sql/sql-text.ts';
import { type Batch, inBatches } from '../rows-of-table.ts';

export type Conversion = Fragment | ((stored: unknown) => unknown);

/** A conversion of the values of one column to another column. */
export interface ColumnConversion {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly conversion: Conversion;
  /** On PostgreSQL: the storage type of the values, because they are sent as one array. */
  readonly storage?: ColumnSchema['storage'];
}

/** Undefined if the conversion could lose data. Then the operator decides. */
export function conversionOf(
  name: string,
  storedColumn: ColumnSchema,
  declaredColumn: ColumnSchema,
): Conversion | undefined {
  const column = raw(quoted(name));
  const sameTarget =
    storedColumn.references !== undefined && storedColumn.references.table === declaredColumn.references?.table;
  if (sameTarget) return column;
  const [from, to] = [fieldTypeNamed(storedColumn.type), fieldTypeNamed(declaredColumn.type)];
  if (!from || !to?.convertibleFrom?.includes(storedColumn.type) || declaredColumn.references) return undefined;
  if (from.storage === to.storage && to.name === 'text' && from.name !== 'decimal') return column;
  if (from.name === 'integer') return to.name === 'text' ? sql`cast(${column} as text)` : column;
  // Converts by way of the JSON value, so that both engines store the same.
  return (stored) => {
    const value = from.fromStored(stored);
    return to.toStored(to.name === 'text' ? String(value) : value);
  };
}

const batchSize = 1000;

/**
 * Converts the values that are not converted yet, in small batches. Outside of a transaction on PostgreSQL, it does not wait for other
 * writers and skips locked rows.
 */
export function convertRows(
  executor: Executor,
  columnConversion: ColumnConversion,
  onProgress: (rows: number) => void = () => undefined,
) {
  const { engine, db } = executor;
  const isOutsideTransaction = engine === 'postgres' && !db.isTransaction;
  const convert = (after: string) =>
    isOutsideTransaction
      ? db.transaction().execute((tx) => convertBatch({ engine, db: tx }, columnConversion, after, true))
      : convertBatch(executor, columnConversion, after, false);
  return inBatches(convert, onProgress);
}

async function convertBatch(
  executor: Executor,
  { table, from, to, conversion, storage }: ColumnConversion,
  after: string,
  isOutsideTransaction: boolean,
): Promise<Batch | undefined> {
  const [tableName, source, target] = [raw(quoted(table)), raw(quoted(from)), raw(quoted(to))];
  const lockClause = raw(isOutsideTransaction ? 'for no key update skip locked' : '');
  const rows = await readUnprepared<{ id: string; value: unknown }>(
    executor,
    sql`select "id", ${source} as value from ${tableName} where "id" > ${after} and ${source} is not null and ${target} is null order by "id" limit ${batchSize} ${lockClause}`,
  );
  const last = rows.at(-1);
  if (!last) return undefined;
  const ids = rows.map(({ id }) => id);
  if (conversion instanceof Fragment) {
    await writeUnprepared(executor, sql`update ${tableName} set ${target} = ${conversion} where "id" = any(${ids})`);
  } else if (storage) {
    const type = raw(columnTypes('postgres')[storage].replace(/ collate .*/, ''));
    const values = rows.map(({ value }) => conversion(value));
    await writeUnprepared(
      executor,
      sql`update ${tableName} as t set ${target} = v.value from unnest(${ids}::text[], ${values}::${type}[]) as v (id, value) where t."id" = v.id`,
    );
  } else {
    for (const { id, value } of rows)
      await writeUnprepared(executor, sql`update ${tableName} set ${target} = ${conversion(value)} where "id" = ${id}`);
  }
  return { id: last.id, rows: rows.length };
}
