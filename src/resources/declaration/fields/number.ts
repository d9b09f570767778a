import { declareField, type ExactOptions, type Field } from './field.ts';
import { type FieldType, invalidValue } from './field-type.ts';
import { checkRange, type NumberOptions, numberSchema, numberValues, toNumber } from './numeric.ts';

export const number = <const O extends NumberOptions = Record<never, never>>(
  options?: ExactOptions<O, NumberOptions>,
): Field<number, O> => declareField('number', options);

export const numberType: FieldType = {
  ...numberValues,
  name: 'number',
  storage: 'real',
  check: (value, options) =>
    typeof value === 'number' && Number.isFinite(value)
      ? checkRange(value, options)
      : invalidValue('type', 'must be a number'),
  schema: (options) => numberSchema('number', options, 1.5),
  fromSearch(text) {
    const value = toNumber(text);
    return typeof value === 'number' ? value + 0 : undefined;
  },
  expected: 'a number',
  convertibleFrom: ['integer'],
};
