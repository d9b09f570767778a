import type { ColumnSchema } from '../declaration/fields/column-schema.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';
import { fillDefault } from './fill-defaults.ts';
import { refold } from './fill-folded.ts';
import type { Step } from './migration-steps.ts';
import type { TableSchema } from './storage-schema.ts';

type Run = NonNullable<Step['withoutLock']>['run'];

/** A column is declared again. Rows were written without it meanwhile, so this fills in the default and folds the text again. */
export function resumeColumn({ table, indexes }: TableSchema, name: string, next: ColumnSchema): Step[] {
  const [tableName, column] = [raw(quoted(table)), raw(quoted(name))];
  const description = `reuse the column "${name}" of "${table}"`;
  if (next.from) {
    const fill = { table, from: next.from, folded: name };
    const statements = [sql`update ${tableName} set ${column} = null`];
    const run: Run = (executor, done) => refold(executor, fill, done);
    return [{ description, statements, fill, withoutLock: { table, run } }];
  }
  const isUnique = Object.values(indexes).some(({ unique, columns }) => unique && columns.includes(name));
  const { default: value } = next;
  if (value === undefined || isUnique) return [];
  const statements = [sql`update ${tableName} set ${column} = ${value} where ${column} is null`];
  const run: Run = (executor, done) => fillDefault(executor, { table, name, value, folded: undefined }, done);
  return [{ description, statements, withoutLock: { table, run } }];
}
