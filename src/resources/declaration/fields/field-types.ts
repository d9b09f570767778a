import { booleanType } from './boolean.ts';
import { isComputed } from './computed.ts';
import { dateType } from './date.ts';
import { decimalType } from './decimal.ts';
import type { Field } from './field.ts';
import type { FieldType } from './field-type.ts';
import { integerType } from './integer.ts';
import { jsonType } from './json.ts';
import { listType } from './list.ts';
import { numberType } from './number.ts';
import { oneOfType } from './one-of.ts';
import { referenceType } from './reference.ts';
import { textType } from './text.ts';
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
  if (!type) throw new Error(`there is no type "${name}" of fields`);
  return type.withOptions?.(field.options) ?? type;
}
