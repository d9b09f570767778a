import type { Engine } from '../../database/database.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import { orderSql, type Sort } from '../query/sorting.ts';
import { CompiledStatement, type StoredRow } from '../sql/executor.ts';
import { KeyedSelect } from '../sql/keyed-select.ts';
import { quoted, raw, sql } from '../sql/sql-text.ts';

/** Reads and serializes rows with a selection of fields. */
export type RowShape = ReturnType<typeof shapeOf>;

export interface JsonWithEtag {
  readonly json: string;
  readonly etag: string;
}

type Serializer = (row: StoredRow) => string;

function serializerOf(resource: Resource, field: ResourceField, before: string): Serializer {
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
  (options.from ?? []).flatMap((name) => resource.fields.get(name) ?? []);

const valuesOf = (fields: readonly ResourceField[], row: StoredRow): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const { name, column, type } of fields) {
    const stored = row[column];
    values[name] = stored === null || stored === undefined ? null : type.fromStored(stored);
  }
  return values;
};

/** The columns in addition to the requested fields: the id, and the version for the ETag. */
const requiredColumns = (resource: Resource): string[] => ['id', ...(resource.versioned ? ['version'] : [])];

/** `extra`: columns that are read but not shown. `prepared`: false for fields that the caller has chosen. */
export function shapeOf(
  resource: Resource,
  fields: readonly ResourceField[],
  { extra = [], prepared = true }: { extra?: readonly string[]; prepared?: boolean } = {},
) {
  const columns = new Set(requiredColumns(resource));
  for (const field of fields) {
    for (const { column } of field.compute ? sourcesOf(resource, field) : [field]) columns.add(column);
  }
  for (const column of extra) columns.add(column);
  const serializers = fields.map((field, i) => serializerOf(resource, field, i === 0 ? '' : ','));
  const selected = [...columns].map((column) => `t.${quoted(column)}`).join(', ');
  const from = sql`select ${raw(selected)} from ${raw(resource.table)} as t`;
  // Callers choose the order, so the number of cached statements is limited.
  const pages = new BoundedMap<string, CompiledStatement>(50);
  return {
    /** The columns to select, each with its alias `t`. */
    columns: selected,
    /** Reads a row by its id, for callers who may read every row. */
    byId: new KeyedSelect(from, prepared),
    page: (sort: Sort, engine: Engine): CompiledStatement =>
      getOrCreate(pages, `${engine} ${sort.signature}`, () => {
        const text = sql`${from} order by ${orderSql(sort, engine)} limit ${null} offset ${null}`;
        return new CompiledStatement(text, prepared);
      }),
    /** Whether the JSON depends only on the row. Computed fields may depend on the time. */
    dependsOnRow: !fields.some(({ compute }) => compute),
    /** The members of the row's JSON object, without braces. */
    members(row: StoredRow): string {
      let json = '';
      for (const serialize of serializers) json += serialize(row);
      return json;
    },
  };
}

const wholeColumnsOf = new WeakMap<Resource, string>();

export const wholeColumns = (resource: Resource): string =>
  getOrCreate(wholeColumnsOf, resource, () => {
    const columns = new Set([...requiredColumns(resource), ...resource.stored.map(({ column }) => column)]);
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
  const allValues = wholeRow(resource, row);
  const visible: Record<string, unknown> = Object.fromEntries(
    resource.shown.map(({ name }) => [name, allValues[name]]),
  );
  return visible as Record<string, unknown> & { id: string };
}
