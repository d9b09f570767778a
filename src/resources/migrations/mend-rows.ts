import type { Tx } from '../../database/database.ts';
import { fold } from '../declaration/fields/folding.ts';
import { type Executor, readUnprepared, writeOnce } from '../sql/executor.ts';
import { type Fragment, quoted, raw, sql } from '../sql/sql-text.ts';
import { inBatches } from './rows-of-table.ts';

/** A write to one of these rows waits for the whole batch. */
const batch = 250;

interface Mended {
  readonly table: string;
  readonly name: string;
  readonly folded: string | undefined;
  readonly breaks: Fragment;
  readonly mend: Fragment;
}

/** On PostgreSQL: makes values fit a new declaration, a few rows at a time, without locking the table. */
export const mendRows = ({ db }: Executor, mended: Mended, done: (rows: number) => void): Promise<void> =>
  inBatches((after) => db.transaction().execute((tx) => mendSome(tx, mended, after)), done);

async function mendSome(tx: Tx, { table, name, folded, breaks, mend }: Mended, after: string) {
  const executor: Executor = { engine: 'postgres', db: tx };
  const [on, column] = [raw(quoted(table)), raw(quoted(name))];
  const found = await readUnprepared<{ id: string }>(
    executor,
    sql`select "id" from ${on} where "id" > ${after} and ${breaks} order by "id" limit ${batch} for no key update`,
  );
  const last = found.at(-1);
  if (!last) return undefined;
  const ids = found.map(({ id }) => id);
  await writeOnce(executor, sql`update ${on} set ${column} = ${mend} where "id" = any(${ids})`);
  if (folded) {
    const rows = await readUnprepared<{ id: string; value: string | null }>(
      executor,
      sql`select "id", ${column} as value from ${on} where "id" = any(${ids})`,
    );
    const values = rows.map(({ value }) => (value === null ? null : fold(value)));
    const target = raw(quoted(folded));
    await writeOnce(
      executor,
      sql`update ${on} as t set ${target} = v.value from unnest(${rows.map(({ id }) => id)}::text[], ${values}::text[]) as v (id, value) where t."id" = v.id`,
    );
  }
  return { id: last.id, rows: found.length };
}
