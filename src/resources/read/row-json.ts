import type { Engine } from '../../database/database.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import { orderSql, type Sort } from '../query/sorting.ts';
import { PreparedStatement, type StoredRow } from '../sql/executor.ts';
import { KeyedSelect } from '../sql/keyed-select.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';

/** Reads and serializes rows with a selection of fields. */
export type RowShape = ReturnType<typeof shapeOf>;

export interface TaggedJson {
  readonly json: string;
  readonly etag: string;
}

type Writer = (row: StoredRow) => string;

function writerOf(resource: Resource, field: ResourceField, before: string): Writer {
  const { compute, column, type, name } = field;
  const prefix = `${before}${JSON.stringify(name)}:`;
  if (compute) {
    const sources = sourcesOf(resource, field);
    return (row) => `${prefix}${JSON.stringify(compute(valuesOf(sources, row))) ?? 'null'}`;
  }
  const { toJson } = type;
  return (row) => {
    const stored = row[column];
    return stored === null || stored === undefined ? `${prefix}null` : prefix + toJson(stored);
  };
}

const sourcesOf = (resource: Resource, { options }: ResourceField): ResourceField[] =>
  (options.from ?? []).map((name) => resource.fields.get(name) as ResourceField);

const valuesOf = (fields: readonly ResourceField[], row: StoredRow): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const { name, column, type } of fields) {
    const stored = row[column];
    values[name] = stored === null || stored === undefined ? null : type.fromStored(stored);
  }
  return values;
};

/** The columns in addition to the requested fields: the id, and the version for the ETag. */
const always = (resource: Resource): string[] => ['id', ...(resource.versioned ? ['version'] : [])];

/** `extra`: columns that are read but not shown. `repeated`: false for fields that the caller has chosen. */
export function shapeOf(
  resource: Resource,
  fields: readonly ResourceField[],
  { extra = [], repeated = true }: { extra?: readonly string[]; repeated?: boolean } = {},
) {
  const columns = new Set(always(resource));
  for (const field of fields) {
    for (const { column } of field.compute ? sourcesOf(resource, field) : [field]) columns.add(column);
  }
  for (const column of extra) columns.add(column);
  const writers = fields.map((field, i) => writerOf(resource, field, i === 0 ? '' : ','));
  const selected = [...columns].map((column) => `t.${quoted(column)}`).join(', ');
  const from = sql`select ${raw(selected)} from ${raw(resource.table)} as t`;
  // Callers choose the order, so the number of cached statements is limited.
  const pages = new BoundedMap<string, PreparedStatement>(50);
  return {
    /** The columns to select, each with its alias `t`. */
    columns: selected,
    /** Reads a row by its id, for callers who may read every row. */
    byId: new KeyedSelect(from, repeated),
    page: (sort: Sort, engine: Engine): PreparedStatement =>
      getOrCreate(pages, `${engine} ${sort.signature}`, () => {
        const text = sql`${from} order by ${orderSql(sort, engine)} limit ${null} offset ${null}`;
        return new PreparedStatement(text, repeated);
      }),
    /** Whether the JSON depends only on the row. Computed fields may depend on the time. */
    dependsOnRow: !fields.some(({ compute }) => compute),
    /** The members of the row's JSON object, without braces. */
    members(row: StoredRow): string {
      let out = '';
      for (const write of writers) out += write(row);
      return out;
    },
  };
}

const wholeColumnsOf = new WeakMap<Resource, string>();

export const wholeColumns = (resource: Resource): string =>
  getOrCreate(wholeColumnsOf, resource, () => {
    const columns = new Set([...always(resource), ...resource.stored.map(({ column }) => column)]);
    return [...columns].map(quoted).join(', ');
  });

export function wholeRow(resource: Resource, row: StoredRow): Record<string, unknown> & { id: string } {
  const values = valuesOf(resource.stored, row);
  for (const field of resource.fields.values()) {
    if (field.compute) values[field.name] = field.compute(valuesOf(sourcesOf(resource, field), row));
  }
  return values as Record<string, unknown> & { id: string };
}

export function shownRow(resource: Resource, row: StoredRow): Record<string, unknown> & { id: string } {
  const whole = wholeRow(resource, row);
  const shown: Record<string, unknown> = Object.fromEntries(resource.shown.map(({ name }) => [name, whole[name]]));
  return shown as Record<string, unknown> & { id: string };
}
