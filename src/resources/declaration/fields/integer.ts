import { declareField, type ExactOptions, type Field } from './field.ts';
import { type FieldType, invalidValue } from './field-type.ts';
import { checkRange, type NumberOptions, numberSchema, numberValues } from './numeric.ts';

/** A whole number within ±2^53. */
export const integer = <const O extends NumberOptions = Record<never, never>>(
  options?: ExactOptions<O, NumberOptions>,
): Field<number, O> => declareField('integer', options);

export const integerType: FieldType = {
  ...numberValues,
  name: 'integer',
  storage: 'bigint',
  check: (value, options) =>
    Number.isSafeInteger(value) ? checkRange(Number(value), options) : invalidValue('type', 'must be a whole number'),
  schema: (options) => numberSchema('integer', options, 1),
  fromSearch: (text) => (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) + 0 : undefined),
  expected: 'a whole number',
};
