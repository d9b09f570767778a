import { booleanType } from './boolean.ts';
import { isComputed } from './computed.ts';
import { dateType } from './date.ts';
import { decimalType } from './decimal.ts';
import type { Field } from './field.ts';
import type { FieldType } from './field-type.ts';
import { jsonType } from './json.ts';
import { listType } from './list.ts';
import { integerType, numberType } from './numeric.ts';
import { oneOfType } from './one-of.ts';
import { referenceType } from './reference.ts';
import { indexableMax, textType } from './text.ts';
import { timestampType } from './timestamp.ts';
import { uuidType } from './uuid.ts';

/** All field types. A new type is a file in this folder, listed here and in `field-builders.ts`. */
export const fieldTypes: readonly FieldType[] = [
  ...[textType, integerType, numberType, decimalType, booleanType, dateType, timestampType],
  ...[oneOfType, jsonType, listType, uuidType, referenceType],
];

const byName: ReadonlyMap<string, FieldType> = new Map(fieldTypes.map((type) => [type.name, type]));

/** The type with this name. Undefined for `folded`, the type name of columns without a field. */
export const fieldTypeNamed = (name: string): FieldType | undefined => byName.get(name);

/** The name of the type of a field's values. For a computed field, the type that it names. */
export const typeNameOf = (field: Field): string => (isComputed(field) ? (field.options.as ?? 'json') : field.type);

export function fieldTypeOf(field: Field): FieldType {
  const name = typeNameOf(field);
  const type = byName.get(name);
  if (!type) throw new Error(`there is no field type "${name}"`);
  return type.withOptions?.(field.options) ?? type;
}

export const isTooLongToIndex = (field: Field) => (fieldTypeOf(field).maxLength?.(field.options) ?? 0) > indexableMax;

export function isIndexed(field: Field): boolean {
  const { indexing } = fieldTypeOf(field);
  const { searchable, sortable } = field.options;
  return indexing === 'always' || (indexing === 'declared' && !!(searchable || sortable) && !isTooLongToIndex(field));
}
