import type { Engine } from '../../database/database.ts';
import type { ColumnSchema } from '../declaration/fields/column-schema.ts';
import { type Executor, readUnprepared, writeOnce } from '../sql/executor.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';
import { refold } from './fill-folded.ts';
import type { Step } from './migration-steps.ts';
import type { TableSchema } from './storage-schema.ts';

const batch = 1000;

/** Others wrote while nobody named it: defaults are filled in, and folded text is folded anew. */
export function resumeColumn(
  engine: Engine,
  { table, indexes }: TableSchema,
  name: string,
  next: ColumnSchema,
): Step[] {
  const [tableName, column] = [raw(quoted(table)), raw(quoted(name))];
  const says = `take up the column "${name}" of "${table}" again`;
  const beside = (run: NonNullable<Step['beside']>['run']) => (engine === 'postgres' ? { beside: { table, run } } : {});
  if (next.from) {
    const fill = { table, from: next.from, folded: name };
    const statements = [sql`update ${tableName} set ${column} = null`];
    return [{ says, statements, fill, ...beside((executor, done) => refold(executor, fill, done)) }];
  }
  const isUnique = Object.values(indexes).some(({ unique, columns }) => unique && columns.includes(name));
  const { default: value } = next;
  if (value === undefined || isUnique) return [];
  const statements = [sql`update ${tableName} set ${column} = ${value} where ${column} is null`];
  return [{ says, statements, ...beside((executor, done) => fillIn(executor, { table, name, value }, done)) }];
}

/** Writes a value into rows that have none, a few at a time. */
async function fillIn(
  executor: Executor,
  { table, name, value }: { table: string; name: string; value: unknown },
  done: (rows: number) => void,
): Promise<void> {
  const [tableName, column] = [raw(quoted(table)), raw(quoted(name))];
  for (let after = ''; ; ) {
    const rows = await readUnprepared<{ id: string }>(
      executor,
      sql`select "id" from ${tableName} where "id" > ${after} and ${column} is null order by "id" limit ${batch}`,
    );
    for (const { id } of rows)
      await writeOnce(
        executor,
        sql`update ${tableName} set ${column} = ${value} where "id" = ${id} and ${column} is null`,
      );
    const last = rows.at(-1);
    if (!last) return;
    done(rows.length);
    after = last.id;
  }
}
