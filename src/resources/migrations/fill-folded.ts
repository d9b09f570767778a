import { fold } from '../declaration/fields/folding.ts';
import { type Executor, readUnprepared, writeUnprepared } from '../sql/executor.ts';
import { type Fragment, quoted, raw, sql } from '../sql/sql-text.ts';
import type { Step } from './migration-steps.ts';
import { inBatches } from './rows-of-table.ts';

type Fill = NonNullable<Step['fill']>;

const batchSize = 1000;

/** Folds the text of rows that existed before a field became searchable. SQL cannot fold text in the same way on both engines. */
export const fillFolded = (executor: Executor, fill: Fill, onProgress: (rows: number) => void = () => undefined) =>
  foldWhere(executor, fill, sql`${raw(quoted(fill.folded))} is null`, onProgress);

/** Also checks rows that are already folded. */
export const refold = (executor: Executor, fill: Fill, onProgress: (rows: number) => void = () => undefined) =>
  foldWhere(executor, fill, sql`true`, onProgress);

function foldWhere(
  executor: Executor,
  { table, from, folded }: Fill,
  condition: Fragment,
  onProgress: (rows: number) => void,
): Promise<void> {
  const [tableName, source, target] = [raw(quoted(table)), raw(quoted(from)), raw(quoted(folded))];
  return inBatches(async (after) => {
    const rows = await readUnprepared<{ id: string; value: string | null; folded: string | null }>(
      executor,
      sql`select "id", ${source} as value, ${target} as folded from ${tableName} where "id" > ${after} and (${source} is not null or ${target} is not null) and ${condition} order by "id" limit ${batchSize}`,
    );
    const outdatedRows = rows
      .map(({ id, value, folded: current }) => ({
        id,
        value,
        current,
        expected: value === null ? null : fold(value),
      }))
      .filter(({ current, expected }) => expected !== current);
    // A concurrent write has already folded its value, or a later pass finds the row.
    if (executor.engine === 'postgres' && outdatedRows.length > 0) {
      const [ids, values, expected] = [
        outdatedRows.map(({ id }) => id),
        outdatedRows.map(({ value }) => value),
        outdatedRows.map((row) => row.expected),
      ];
      await writeUnprepared(
        executor,
        sql`update ${tableName} as t set ${target} = v.expected
          from unnest(${ids}::text[], ${values}::text[], ${expected}::text[]) as v (id, value, expected)
          where t."id" = v.id and t.${source} is not distinct from v.value`,
      );
    } else {
      for (const { id, value, expected } of outdatedRows) {
        const unchanged = value === null ? sql`${source} is null` : sql`${source} = ${value}`;
        await writeUnprepared(
          executor,
          sql`update ${tableName} set ${target} = ${expected} where "id" = ${id} and ${unchanged}`,
        );
      }
    }
    const last = rows.at(-1);
    return last && { id: last.id, rows: rows.length };
  }, onProgress);
}
