import { type Executor, readUnprepared } from '../../sql/executor.ts';
import { quoted, raw, sql } from '../../sql/sql-text.ts';

/** How many rows hold something in a column. */
export async function countHeld(executor: Executor, table: string, column: string): Promise<number> {
  const [row] = await readUnprepared<{ n: number }>(
    executor,
    sql`select count(*) as n from ${raw(quoted(table))} where ${raw(quoted(column))} is not null`,
  );
  return row?.n ?? 0;
}

export async function hasRows(executor: Executor, table: string): Promise<boolean> {
  return (await readUnprepared(executor, sql`select 1 as one from ${raw(quoted(table))} limit 1`)).length > 0;
}
