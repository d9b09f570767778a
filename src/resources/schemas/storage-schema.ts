import { hash } from 'node:crypto';
import { OperatorError } from '../../platform/errors.ts';
import { type ResourceDefinition, tableOfDashedName } from '../declaration/define-resource.ts';
import type { ColumnSchema } from '../declaration/fields/column-schema.ts';
import { isComputed } from '../declaration/fields/computed.ts';
import type { Field, Fields } from '../declaration/fields/field.ts';
import { fieldTypeOf, isIndexed } from '../declaration/fields/field-types.ts';
import { allFields, foldedColumnOf } from '../model/resource.ts';

export interface IndexSchema {
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** The first column may be null. Then PostgreSQL needs `nulls first`, as in the order of lists. */
  readonly nullable: boolean;
  /** The index excludes deleted rows. */
  readonly ofKept?: true;
}

export interface TableSchema {
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnSchema>>;
  readonly indexes: Readonly<Record<string, IndexSchema>>;
}

/** By the names of the resources. */
export type TableSchemas = ReadonlyMap<string, TableSchema>;

/** PostgreSQL truncates names to 63 bytes, so two names could become equal. */
const indexName = (table: string, columns: readonly string[], kind: string): string => {
  const name = `${table}_${columns.join('_')}_${kind}`;
  return name.length <= 60 ? name : `${name.slice(0, 48)}_${hash('sha1', name).slice(0, 10)}`;
};

function columnSchema(name: string, field: Field, tables: ReadonlyMap<string, string>): ColumnSchema {
  const { options } = field;
  const { target, onDelete = 'restrict' } = options;
  const type = fieldTypeOf(field);
  const constant = options.default !== undefined && typeof options.default !== 'function';
  return {
    field: name,
    type: type.name,
    storage: type.storage,
    required: options.required === true || options.default !== undefined,
    ...(constant ? { default: type.toStored(options.default) } : {}),
    ...(target === undefined ? {} : { references: { table: tables.get(target) ?? '', onDelete } }),
    ...type.bounds(options),
  };
}

function tableSchema(definition: ResourceDefinition, tables: ReadonlyMap<string, string>): TableSchema {
  const { name, table = name, uniqueTogether = [], softDelete } = definition;
  const columns: Record<string, ColumnSchema> = {};
  const indexes: Record<string, IndexSchema> = {};
  const addIndex = (kind: string, columnNames: readonly string[], unique: boolean, nullable: boolean) => {
    indexes[indexName(table, columnNames, kind)] = {
      ...{ columns: columnNames, unique, nullable },
      ...(unique && softDelete ? { ofKept: true } : {}),
    };
  };
  const columnByField = new Map<string, string>();
  for (const [fieldName, field] of allFields(definition)) {
    const { options } = field;
    if (fieldName === 'id' || isComputed(field) || options.virtual) continue;
    const column = options.column ?? fieldName;
    columnByField.set(fieldName, column);
    const schema = columnSchema(fieldName, field, tables);
    columns[column] = schema;
    const folded = foldedColumnOf(true, column, field);
    if (folded) {
      columns[folded] = { field: fieldName, type: 'folded', storage: 'text', required: schema.required, from: column };
    }
    if (options.unique) addIndex('unique', [column], true, false);
    if (isIndexed(field)) addIndex('order', [folded ?? column, 'id'], false, !schema.required);
  }
  for (const names of uniqueTogether) {
    addIndex(
      'unique',
      names.flatMap((each) => columnByField.get(each) ?? []),
      true,
      false,
    );
  }
  return { table, columns, indexes };
}

/** The schemas of the operator's resources. */
export function declaredSchemas(definitions: readonly ResourceDefinition[]): TableSchemas {
  const tables = new Map(definitions.map(({ name, table = name }) => [name, table]));
  return new Map(
    definitions
      .filter(({ managed }) => managed)
      .map((definition) => [definition.name, tableSchema(definition, tables)]),
  );
}

/** The declared table. Undefined for the default of a name with dashes: a renamed resource keeps its earlier table. */
const declaredTable = ({ name, table }: ResourceDefinition): string | undefined =>
  name.includes('-') && table === tableOfDashedName(name) ? undefined : table;

/**
 * The existing schemas, by the present names of the managed resources. After a rename, the schema stored under the earlier name still names
 * the table of the renamed resource. A new resource with that name ignores this schema if it declares its own table.
 */
export function storedSchemas(definitions: readonly ResourceDefinition[], stored: TableSchemas): TableSchemas {
  const found = definitions.flatMap((definition) => {
    const { name, renamedFrom = [], managed } = definition;
    const names = managed ? [name, renamedFrom].flat() : [];
    const schema = names.map((formerName) => stored.get(formerName)).find((each) => each !== undefined);
    return schema ? [{ name, schema, hasTable: (declaredTable(definition) ?? schema.table) === schema.table }] : [];
  });
  const usedTables = new Set(found.filter(({ hasTable }) => hasTable).map(({ schema }) => schema.table));
  return new Map(
    found
      .filter(({ schema, hasTable }) => hasTable || !usedTables.has(schema.table))
      .map(({ name, schema }) => [name, schema]),
  );
}

const columnOf = ({ columns }: TableSchema, field: string): string | undefined =>
  Object.entries(columns).find(([, column]) => column.field === field && column.type !== 'folded')?.[0];

/** The declarations with the existing tables and columns. A renamed resource or field keeps its table or column. */
export function withStoredNames(
  definitions: readonly ResourceDefinition[],
  stored: TableSchemas,
): ResourceDefinition[] {
  const schemas = storedSchemas(definitions, stored);
  const named = definitions.map((definition) => {
    const schema = schemas.get(definition.name);
    if (!schema) return definition;
    const { fields } = definition;
    const table = declaredTable(definition) ?? schema.table;
    return { ...definition, table, fields: withStoredColumns(definition, fields, schema) };
  });
  requireOwnTables(named);
  return named;
}

function requireOwnTables(definitions: readonly ResourceDefinition[]): void {
  const nameOfTable = new Map<string, string>();
  for (const { name, table = name } of definitions.filter(({ managed }) => managed)) {
    const other = nameOfTable.get(table);
    if (other !== undefined) {
      throw new OperatorError(
        `The resources ${other} and ${name} both have the table "${table}", because one of them was renamed. Give the new resource another table, such as table: '${table}_2'. First stop all versions that use the name of the new resource for the renamed one.`,
      );
    }
    nameOfTable.set(table, name);
  }
}

function withStoredColumns({ name: resource, file }: ResourceDefinition, fields: Fields, schema: TableSchema): Fields {
  const columns = new Map<string, string>();
  const entries = Object.entries(fields).map(([name, field]): [string, Field] => {
    const { options } = field;
    if (isComputed(field) || options.virtual) return [name, field];
    const storedColumns = [name, options.renamedFrom ?? []].flat().map((formerName) => columnOf(schema, formerName));
    const column = options.column ?? storedColumns.find((storedColumn) => storedColumn !== undefined) ?? name;
    const otherField = columns.get(column);
    if (otherField !== undefined) {
      throw new OperatorError(
        `${file ?? resource}: fields.${name}: the values of ${otherField} are in the column "${column}", since ${otherField} was named so. Say in which column this one is: column: '${name}_2'.`,
      );
    }
    columns.set(column, name);
    return [name, column === name ? field : { ...field, options: { ...options, column } }];
  });
  return Object.fromEntries(entries);
}
