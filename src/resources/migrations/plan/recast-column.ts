import { hash } from 'node:crypto';
import type { Engine } from '../../../database/database.ts';
import type { ColumnSchema } from '../../declaration/fields/column-schema.ts';
import { Fragment, quoted, raw, sql } from '../../sql/sql-text.ts';
import { addReference, columnText, type Step } from '../migration-steps.ts';
import type { Conversion, Converted } from './conversions.ts';

/** The name of the new column. It contains the type, so that an unfinished column of another type is not used. */
const temporaryOf = (name: string, { storage }: ColumnSchema): string => `${name}_as_${storage}`;

/** Changes the type or reference of a column. A new column with the converted values replaces the old one. */
export function recastColumn(
  engine: Engine,
  table: string,
  name: string,
  column: ColumnSchema,
  conversion: Conversion,
): Step[] {
  const description = `change how "${table}.${name}" is stored`;
  const temporary = temporaryOf(name, column);
  const converted: Converted = { table, from: name, to: temporary, by: conversion };
  const text = columnText(engine, temporary, column);
  const step = engine === 'postgres' ? recastBeside(converted, column, text) : recastAtOnce(converted, text);
  return [{ description, ...step }, ...addReference(engine, table, name, column)];
}

const replaceColumn = ({ table, from, to }: Converted): Fragment[] => [
  raw(`alter table ${quoted(table)} drop column ${quoted(from)}`),
  raw(`alter table ${quoted(table)} rename column ${quoted(to)} to ${quoted(from)}`),
];

/** On SQLite, no other process writes during the transaction. */
function recastAtOnce(converted: Converted, columnText: string): Omit<Step, 'description'> {
  const { table, to, by } = converted;
  const add = raw(`alter table ${quoted(table)} add column ${columnText}`);
  const finish = replaceColumn(converted);
  return by instanceof Fragment
    ? { statements: [add, sql`update ${raw(quoted(table))} set ${raw(quoted(to))} = ${by}`], finish }
    : { statements: [add], convert: converted, finish };
}

/**
 * On PostgreSQL, most rows are converted before the transaction. When a row changes, a trigger clears its converted value, and the
 * transaction converts it again. All steps can be repeated.
 */
function recastBeside(converted: Converted, { storage }: ColumnSchema, columnText: string): Omit<Step, 'description'> {
  const { table, from, to } = converted;
  const guard = quoted(`recast_${hash('sha1', `${table}.${from}`).slice(0, 16)}`);
  const on = quoted(table);
  const left = `left_${hash('sha1', `${table}.${to}`).slice(0, 16)}`;
  const begin = [
    raw(`alter table ${on} add column if not exists ${columnText}`),
    raw(
      `create or replace function ${guard}() returns trigger language plpgsql as $$ begin new.${quoted(to)} := null; return new; end $$`,
    ),
    raw(`drop trigger if exists ${guard} on ${on}`),
    raw(`create trigger ${guard} before update of ${quoted(from)} on ${on} for each row execute function ${guard}()`),
  ];
  return {
    statements: begin,
    convert: { ...converted, storage },
    recast: {
      table,
      column: from,
      temporary: to,
      left: {
        name: left,
        make: raw(
          `create index concurrently if not exists ${quoted(left)} on ${on} ("id") where ${quoted(from)} is not null and ${quoted(to)} is null`,
        ),
      },
    },
    finish: [
      raw(`drop trigger ${guard} on ${on}`),
      raw(`drop function ${guard}()`),
      raw(`drop index if exists ${quoted(left)}`),
      ...replaceColumn(converted),
    ],
  };
}
