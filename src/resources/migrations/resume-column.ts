import type { Engine } from '../../database/database.ts';
import type { ColumnSchema } from '../declaration/fields/column-schema.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';
import { fillDefault } from './fill-defaults.ts';
import { refold } from './fill-folded.ts';
import type { Step } from './migration-steps.ts';
import type { TableSchema } from './storage-schema.ts';

/** A column is declared again. Rows were written without it meanwhile, so this fills in the default and folds the text again. */
export function resumeColumn(
  engine: Engine,
  { table, indexes }: TableSchema,
  name: string,
  next: ColumnSchema,
): Step[] {
  const [tableName, column] = [raw(quoted(table)), raw(quoted(name))];
  const description = `reuse the column "${name}" of "${table}"`;
  const withoutLock = (run: NonNullable<Step['withoutLock']>['run']) =>
    engine === 'postgres' ? { withoutLock: { table, run } } : {};
  if (next.from) {
    const fill = { table, from: next.from, folded: name };
    const statements = [sql`update ${tableName} set ${column} = null`];
    return [{ description, statements, fill, ...withoutLock((executor, done) => refold(executor, fill, done)) }];
  }
  const isUnique = Object.values(indexes).some(({ unique, columns }) => unique && columns.includes(name));
  const { default: value } = next;
  if (value === undefined || isUnique) return [];
  const statements = [sql`update ${tableName} set ${column} = ${value} where ${column} is null`];
  return [
    {
      description,
      statements,
      ...withoutLock((executor, done) => fillDefault(executor, { table, name, value, folded: undefined }, done)),
    },
  ];
}
