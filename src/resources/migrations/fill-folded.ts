import { fold } from '../declaration/fields/folding.ts';
import { type Executor, readUnprepared, writeOnce } from '../sql/executor.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';
import type { Step } from './migration-steps.ts';

/** Folding is ours, not the database's: rows that were there before a field became searchable are folded here. */
export async function fillFolded(
  executor: Executor,
  { table, from, folded }: NonNullable<Step['fill']>,
  filled: (rows: number) => void = () => undefined,
): Promise<void> {
  const [tableName, source, target] = [table, from, folded].map((name) => raw(quoted(name))) as [never, never, never];
  for (let after = ''; ; ) {
    const rows = await readUnprepared<{ id: string; value: string }>(
      executor,
      sql`select "id", ${source} as value from ${tableName} where "id" > ${after} and ${source} is not null and ${target} is null order by "id" limit 1000`,
    );
    for (const { id, value } of rows) {
      await writeOnce(executor, sql`update ${tableName} set ${target} = ${fold(value)} where "id" = ${id}`);
    }
    const last = rows.at(-1);
    if (!last) return;
    filled(rows.length);
    after = last.id;
  }
}
