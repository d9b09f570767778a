import { hash } from 'node:crypto';
import { indexableMax } from '../declaration/check-fields.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { kindOf } from '../declaration/field-values.ts';
import type { Field, FieldType } from '../declaration/fields.ts';
import { allFields, isIndexed, shadowOf } from '../model/resource.ts';

/** A column as the last declaration wanted it. Kept in the database, and compared with the next declaration. */
export interface ColumnSchema {
  readonly field: string;
  readonly type: FieldType | 'folded';
  readonly storage: 'text' | 'bigint' | 'real';
  readonly required: boolean;
  /** The stored form of a default that is the same for every row. */
  readonly default?: unknown;
  readonly references?: { readonly table: string; readonly onDelete: 'restrict' | 'cascade' | 'set null' };
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  /** Of a folded twin: the column it is made from. */
  readonly from?: string;
}

export interface IndexSchema {
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** The first column may be null: PostgreSQL must be told to sort those first, as lists do. */
  readonly nullable: boolean;
}

export interface TableSchema {
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnSchema>>;
  readonly indexes: Readonly<Record<string, IndexSchema>>;
}

/** PostgreSQL cuts names at 63 bytes, which would make two of them one. */
const indexName = (table: string, columns: readonly string[], kind: string): string => {
  const name = `${table}_${columns.join('_')}_${kind}`;
  return name.length <= 60 ? name : `${name.slice(0, 48)}_${hash('sha1', name).slice(0, 10)}`;
};

function columnSchema(name: string, field: Field, tables: ReadonlyMap<string, string>): ColumnSchema {
  const { type, options } = field;
  const { min, max, values, target, onDelete = 'restrict' } = options;
  const kind = kindOf(type);
  const constant = options.default !== undefined && typeof options.default !== 'function';
  return {
    field: name,
    type,
    storage: kind.storage,
    required: options.required === true || options.default !== undefined,
    ...(constant ? { default: kind.toStored(options.default) } : {}),
    ...(type === 'reference' ? { references: { table: tables.get(target ?? '') ?? '', onDelete } } : {}),
    ...(min === undefined ? {} : { min }),
    ...(type === 'text' ? { max: max ?? 255 } : max === undefined ? {} : { max }),
    ...(type === 'enum' && values ? { values: [...values] } : {}),
  };
}

/** The table that a declaration asks for. */
export function tableSchema(definition: ResourceDefinition, tables: ReadonlyMap<string, string>): TableSchema {
  const { name, table = name, uniqueTogether = [] } = definition;
  const columns: Record<string, ColumnSchema> = {};
  const indexes: Record<string, IndexSchema> = {};
  const index = (kind: string, list: readonly string[], unique: boolean, nullable: boolean) => {
    indexes[indexName(table, list, kind)] = { columns: list, unique, nullable };
  };
  const columnByField = new Map<string, string>();
  for (const [fieldName, field] of allFields(definition)) {
    const { type, options } = field;
    if (fieldName === 'id' || type === 'computed' || options.virtual) continue;
    const column = options.column ?? fieldName;
    columnByField.set(fieldName, column);
    const schema = columnSchema(fieldName, field, tables);
    columns[column] = schema;
    const shadow = shadowOf(true, column, field);
    if (shadow) {
      columns[shadow] = { field: fieldName, type: 'folded', storage: 'text', required: schema.required, from: column };
    }
    if (options.unique) index('unique', [column], true, false);
    if (isIndexed(field)) index('order', [shadow ?? column, 'id'], false, !schema.required);
  }
  for (const names of uniqueTogether) {
    index(
      'unique',
      names.map((each) => columnByField.get(each) as string),
      true,
      false,
    );
  }
  return { table, columns, indexes };
}

/** What callers may ask for and no index serves: said at the start, because it only hurts when the table has grown. */
export function unservedWarnings(definitions: readonly ResourceDefinition[]): string[] {
  return definitions
    .filter(({ managed }) => managed)
    .flatMap((definition) =>
      Object.entries(definition.fields)
        .filter(([, field]) => (field.options.searchable || field.options.sortable) && !isIndexed(field))
        .map(([name, { type }]) => {
          const mend =
            type === 'text' ? `give it a max of at most ${indexableMax}` : 'narrow a search down by another field';
          return `${definition.name}.${name} can be searched or sorted, but no index serves that: on a large table ${mend}.`;
        }),
    );
}
