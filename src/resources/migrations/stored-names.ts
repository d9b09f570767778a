import { OperatorError } from '../../platform/errors.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';
import { isComputed } from '../declaration/fields/computed.ts';
import type { Field, Fields } from '../declaration/fields/field.ts';
import type { TableSchema } from './storage-schema.ts';

type StoredSchemas = ReadonlyMap<string, TableSchema>;

export const storedSchema = (stored: StoredSchemas, { name, renamedFrom }: ResourceDefinition) =>
  [name, renamedFrom ?? []]
    .flat()
    .map((formerName) => stored.get(formerName))
    .find((schema) => schema !== undefined);

const columnOf = ({ columns }: TableSchema, field: string): string | undefined =>
  Object.entries(columns).find(([, column]) => column.field === field && column.type !== 'folded')?.[0];

/** The declarations with the existing tables and columns. A renamed resource or field keeps its table or column. */
export const withStoredNames = (
  definitions: readonly ResourceDefinition[],
  stored: StoredSchemas,
): ResourceDefinition[] =>
  definitions.map((definition) => {
    const schema = definition.managed ? storedSchema(stored, definition) : undefined;
    if (!schema) return definition;
    const { table = schema.table, fields } = definition;
    return { ...definition, table, fields: withStoredColumns(definition, fields, schema) };
  });

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
