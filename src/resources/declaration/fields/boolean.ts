import { declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, invalidValue, plainValues } from './field-type.ts';

export const boolean = <const O extends FieldOptions<boolean> = Record<never, never>>(
  options?: ExactOptions<O, FieldOptions<boolean>>,
): Field<boolean, O> => declareField('boolean', options);

const flags = new Map([
  ['true', true],
  ['1', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['off', false],
]);

export const readFlag = (text: string): boolean | undefined => flags.get(text.toLowerCase());

export const booleanType: FieldType = {
  ...plainValues,
  name: 'boolean',
  storage: 'bigint',
  toStored: (value) => (value ? 1 : 0),
  fromStored: (stored) => stored === 1,
  toJson: (stored) => (stored === 1 ? 'true' : 'false'),
  check: (value) => (typeof value === 'boolean' ? undefined : invalidValue('type', 'must be true or false')),
  fromForm: (text) => readFlag(text) ?? text,
  schema: () => ({ type: 'boolean', examples: [true] }),
  fromSearch(text) {
    const flag = readFlag(text);
    return flag === undefined ? undefined : flag ? 1 : 0;
  },
  expected: 'true or false',
  hasOrder: false,
};
