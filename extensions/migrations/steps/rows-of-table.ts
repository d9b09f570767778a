import { type Executor, readUnprepared } from '../../../src/resources/sql/executor.ts';
import { type Fragment, quoted, raw, sql } from '../../../src/resources/sql/sql-text.ts';

export async function countRowsWhere(executor: Executor, table: string, condition: Fragment): Promise<number> {
  const [row] = await readUnprepared<{ n: number }>(
    executor,
    sql`select count(*) as n from ${raw(quoted(table))} where ${condition}`,
  );
  return row?.n ?? 0;
}

export async function hasRows(executor: Executor, table: string): Promise<boolean> {
  return (await readUnprepared(executor, sql`select 1 as one from ${raw(quoted(table))} limit 1`)).length > 0;
}
