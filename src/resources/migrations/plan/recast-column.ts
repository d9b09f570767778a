import { hash } from 'node:crypto';
import type { Engine } from '../../../database/database.ts';
import type { ColumnSchema } from '../../declaration/fields/column-schema.ts';
import { Fragment, quoted, raw, sql } from '../../sql/sql-text.ts';
import { addReference, columnText, type Step } from '../migration-steps.ts';
import type { ColumnConversion, Conversion } from './conversions.ts';

/** The name of the new column. It contains the type, so that an unfinished column of another type is not used. */
const temporaryName = (name: string, { storage }: ColumnSchema): string => `${name}_as_${storage}`;

/** Changes the type or reference of a column. A new column with the converted values replaces the old one. */
export function recastColumn(
  engine: Engine,
  table: string,
  name: string,
  column: ColumnSchema,
  conversion: Conversion,
): Step[] {
  const description = `change how "${table}.${name}" is stored`;
  const temporary = temporaryName(name, column);
  const columnConversion: ColumnConversion = { table, from: name, to: temporary, conversion };
  const text = columnText(engine, temporary, column);
  const step =
    engine === 'postgres'
      ? recastConcurrently(columnConversion, column, text)
      : recastInTransaction(columnConversion, text);
  return [{ description, ...step }, ...addReference(engine, table, name, column)];
}

const replaceColumn = ({ table, from, to }: ColumnConversion): Fragment[] => [
  raw(`alter table ${quoted(table)} drop column ${quoted(from)}`),
  raw(`alter table ${quoted(table)} rename column ${quoted(to)} to ${quoted(from)}`),
];

/** On SQLite, no other process writes during the transaction. */
function recastInTransaction(columnConversion: ColumnConversion, columnText: string): Omit<Step, 'description'> {
  const { table, to, conversion } = columnConversion;
  const add = raw(`alter table ${quoted(table)} add column ${columnText}`);
  const finish = replaceColumn(columnConversion);
  return conversion instanceof Fragment
    ? { statements: [add, sql`update ${raw(quoted(table))} set ${raw(quoted(to))} = ${conversion}`], finish }
    : { statements: [add], convert: columnConversion, finish };
}

/**
 * On PostgreSQL, most rows are converted before the transaction. When a row changes, a trigger clears its converted value, and the
 * transaction converts it again. All steps can be repeated.
 */
function recastConcurrently(
  columnConversion: ColumnConversion,
  { storage }: ColumnSchema,
  columnText: string,
): Omit<Step, 'description'> {
  const { table, from, to } = columnConversion;
  const triggerName = quoted(`recast_${hash('sha1', `${table}.${from}`).slice(0, 16)}`);
  const tableName = quoted(table);
  const remainingIndexName = `left_${hash('sha1', `${table}.${to}`).slice(0, 16)}`;
  const beginStatements = [
    raw(`alter table ${tableName} add column if not exists ${columnText}`),
    raw(
      `create or replace function ${triggerName}() returns trigger language plpgsql as $$ begin new.${quoted(to)} := null; return new; end $$`,
    ),
    raw(`drop trigger if exists ${triggerName} on ${tableName}`),
    raw(
      `create trigger ${triggerName} before update of ${quoted(from)} on ${tableName} for each row execute function ${triggerName}()`,
    ),
  ];
  return {
    statements: beginStatements,
    convert: { ...columnConversion, storage },
    recast: {
      table,
      column: from,
      temporary: to,
      remainingIndex: {
        name: remainingIndexName,
        createSql: raw(
          `create index concurrently if not exists ${quoted(remainingIndexName)} on ${tableName} ("id") where ${quoted(from)} is not null and ${quoted(to)} is null`,
        ),
      },
    },
    finish: [
      raw(`drop trigger ${triggerName} on ${tableName}`),
      raw(`drop function ${triggerName}()`),
      raw(`drop index if exists ${quoted(remainingIndexName)}`),
      ...replaceColumn(columnConversion),
    ],
  };
}
