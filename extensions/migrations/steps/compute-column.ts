import { columnTypes } from '../../../src/database/migration.ts';
import type { Storage } from '../../../src/resources/declaration/fields/column-schema.ts';
import { fold } from '../../../src/resources/declaration/fields/folding.ts';
import { type Executor, readUnprepared, writeUnprepared } from '../../../src/resources/sql/executor.ts';
import { type Fragment, quoted, raw, sql } from '../../../src/resources/sql/sql-text.ts';

/** Work on the rows of a table, in small parts that can be repeated. On PostgreSQL it needs no lock of the table. */
export interface RowWork {
  readonly table: string;
  /** The columns that it reads or writes. */
  readonly columns: readonly string[];
  run(executor: Executor, onProgress?: (rows: number) => void): Promise<void>;
}

export const batchSize = 1000;

/** Processes the rows of a table in batches. `work` gets the last id of the previous batch and returns the ids of its rows. */
export async function inBatches(
  work: (after: string) => Promise<string[]>,
  onProgress: (rows: number) => void = () => undefined,
) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const ids = await work(after);
    if (ids.length > 0) onProgress(ids.length);
    after = ids.sort().at(-1);
  }
}

/** A column with values that are computed from another column. */
interface ComputedColumn {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly storage: { readonly from: Storage; readonly to: Storage };
  compute(stored: unknown): unknown;
  readonly inSql?: (column: Fragment) => Fragment;
  /** Also checks values that are already computed. */
  readonly checksAll?: boolean;
  /** Outside of a transaction on PostgreSQL, the statement skips locked rows. A later run computes them. */
  readonly skipsLocked?: boolean;
}

export function computeColumn(column: ComputedColumn): RowWork {
  const { table, from, to, storage, compute, inSql, checksAll, skipsLocked } = column;
  const [tableName, source, target] = [raw(quoted(table)), raw(quoted(from)), raw(quoted(to))];
  const condition = checksAll
    ? sql`(${source} is not null or ${target} is not null)`
    : sql`${source} is not null and ${target} is null`;
  const arrayOf = (type: Storage) => raw(`${columnTypes('postgres')[type].replace(/ collate .*/, '')}[]`);
  const computeBatch = async (executor: Executor, after: string) => {
    const rows = await readUnprepared<{ id: string; value: unknown; current: unknown }>(
      executor,
      sql`select "id", ${source} as value, ${target} as current from ${tableName} where "id" > ${after} and ${condition} order by "id" limit ${batchSize}`,
    );
    const outdatedRows = rows
      .map((row) => ({ ...row, computed: row.value === null ? null : compute(row.value) }))
      .filter(({ current, computed }) => computed !== current);
    // If the value has changed since, the writer has computed it, or a later run finds the row.
    if (executor.engine === 'postgres' && outdatedRows.length > 0) {
      const list = (name: 'id' | 'value' | 'computed') => outdatedRows.map((row) => row[name]);
      const unlocked =
        skipsLocked && !executor.db.isTransaction
          ? sql`and t."id" in (select "id" from ${tableName} where "id" = any(${list('id')}) for no key update skip locked)`
          : raw('');
      // In the transaction of a type change, nobody else writes. A value that JavaScript rounds would differ from itself.
      const isCurrent =
        skipsLocked && executor.db.isTransaction ? raw('') : sql`and t.${source} is not distinct from v.value`;
      await writeUnprepared(
        executor,
        inSql
          ? sql`update ${tableName} as t set ${target} = ${inSql(source)} where t."id" = any(${list('id')}) ${unlocked}`
          : sql`update ${tableName} as t set ${target} = v.computed
          from unnest(${list('id')}::text[], ${list('value')}::${arrayOf(storage.from)}, ${list('computed')}::${arrayOf(storage.to)}) as v (id, value, computed)
          where t."id" = v.id ${isCurrent} ${unlocked}`,
      );
    } else {
      // No other connection writes during a transaction of SQLite.
      for (const { id, computed } of outdatedRows)
        await writeUnprepared(executor, sql`update ${tableName} set ${target} = ${computed} where "id" = ${id}`);
    }
    return rows.map(({ id }) => id);
  };
  return {
    table,
    columns: [from, to],
    async run(executor, onProgress) {
      if (inSql && executor.engine === 'sqlite')
        await writeUnprepared(executor, sql`update ${tableName} set ${target} = ${inSql(source)}`);
      else await inBatches((after) => computeBatch(executor, after), onProgress);
    },
  };
}

/** Folds the text of existing rows. SQL cannot fold text in the same way on both engines. */
export const foldColumn = (table: string, from: string, folded: string, { checksAll = false } = {}): RowWork =>
  computeColumn({
    ...{ table, from, to: folded, storage: { from: 'text', to: 'text' }, checksAll },
    compute: (text) => fold(String(text)),
  });
