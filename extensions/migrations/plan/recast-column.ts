import { hash } from 'node:crypto';
import type { Engine } from '../../../src/database/database.ts';
import type { ColumnSchema } from '../../../src/resources/declaration/fields/column-schema.ts';
import { fieldTypeNamed } from '../../../src/resources/declaration/fields/field-types.ts';
import { type Fragment, quoted, raw, sql } from '../../../src/resources/sql/sql-text.ts';
import { computeColumn } from '../steps/compute-column.ts';
import { addReference, columnText, type Step } from '../steps/migration-steps.ts';

interface Conversion {
  compute(stored: unknown): unknown;
  /** The same conversion in SQL, which is exact for integers beyond 2^53. On SQLite, one statement converts all rows. */
  readonly inSql?: (column: Fragment) => Fragment;
}

const unchanged: Conversion = { compute: (stored) => stored, inSql: (column) => column };

/** Undefined if the conversion could lose data. Then the operator decides. */
export function conversionOf(storedColumn: ColumnSchema, declaredColumn: ColumnSchema): Conversion | undefined {
  const { references, scale } = storedColumn;
  if (references !== undefined && references.table === declaredColumn.references?.table) return unchanged;
  const fromType = fieldTypeNamed(storedColumn.type);
  const from = fromType?.withOptions?.(scale === undefined ? {} : { scale }) ?? fromType;
  const to = fieldTypeNamed(declaredColumn.type);
  if (!from || !to?.convertibleFrom?.includes(storedColumn.type) || declaredColumn.references) return undefined;
  if (from.storage === to.storage && to.name === 'text' && from.name !== 'decimal') return unchanged;
  if (from.name === 'integer' && to.name !== 'text') return unchanged;
  return {
    // By way of the JSON value, so that both engines store the same.
    compute(stored) {
      const value = from.fromStored(stored);
      return to.toStored(to.name === 'text' ? String(value) : value);
    },
    ...(from.name === 'integer' && { inSql: (column) => sql`cast(${column} as text)` }),
  };
}

interface Recast {
  readonly storedColumn: ColumnSchema;
  readonly declaredColumn: ColumnSchema;
  readonly conversion: Conversion;
}

/** Changes the type or reference of a column. A new column with the converted values replaces the old one. */
export function recastColumn(engine: Engine, table: string, name: string, recast: Recast): Step[] {
  const { storedColumn, declaredColumn, conversion } = recast;
  // The name contains the type, so that an unfinished column of another type is not used.
  const temporary = `${name}_as_${declaredColumn.storage}`;
  const alter = `alter table ${quoted(table)}`;
  const concurrent = engine === 'postgres' ? concurrentRecast(table, name, temporary) : undefined;
  const step: Step = {
    description: `change how "${table}.${name}" is stored`,
    statements: [
      raw(`${alter} add column ${concurrent ? 'if not exists ' : ''}${columnText(engine, temporary, declaredColumn)}`),
      ...(concurrent?.begin ?? []),
    ],
    rows: computeColumn({
      ...{ table, from: name, to: temporary, ...conversion, skipsLocked: true },
      storage: { from: storedColumn.storage, to: declaredColumn.storage },
    }),
    recast: concurrent?.recast,
    finish: [
      ...(concurrent?.end ?? []),
      raw(`${alter} drop column ${quoted(name)}`),
      raw(`${alter} rename column ${quoted(temporary)} to ${quoted(name)}`),
    ],
  };
  return [step, ...addReference(engine, table, name, declaredColumn)];
}

/**
 * On PostgreSQL, most rows are converted before the transaction. When a row changes, a trigger clears its converted value, and the
 * transaction converts it again. All steps can be repeated.
 */
function concurrentRecast(table: string, column: string, temporary: string) {
  const tableName = quoted(table);
  const trigger = quoted(`recast_${hash('sha1', `${table}.${column}`).slice(0, 16)}`);
  const indexName = `left_${hash('sha1', `${table}.${temporary}`).slice(0, 16)}`;
  const createIndex = `create index concurrently if not exists ${quoted(indexName)} on ${tableName} ("id") where ${quoted(column)} is not null and ${quoted(temporary)} is null`;
  return {
    begin: [
      `create or replace function ${trigger}() returns trigger language plpgsql as $$ begin new.${quoted(temporary)} := null; return new; end $$`,
      `drop trigger if exists ${trigger} on ${tableName}`,
      `create trigger ${trigger} before update of ${quoted(column)} on ${tableName} for each row execute function ${trigger}()`,
    ].map(raw),
    recast: { table, column, temporary, remainingIndex: { name: indexName, createSql: raw(createIndex) } },
    end: [
      `drop trigger ${trigger} on ${tableName}`,
      `drop function ${trigger}()`,
      `drop index if exists ${quoted(indexName)}`,
    ].map(raw),
  };
}
