import { isIsoDate } from '../../../platform/is-iso-date.ts';
import { declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, invalidValue, textValues } from './field-type.ts';

/** A day, `YYYY-MM-DD`. */
export const date = <const O extends FieldOptions<string> = Record<never, never>>(
  options?: ExactOptions<O, FieldOptions<string>>,
): Field<string, O> => declareField('date', options);

export const dateType: FieldType = {
  ...textValues,
  name: 'date',
  check: (value) =>
    typeof value === 'string' && isIsoDate(value) ? undefined : invalidValue('format', 'must be a day as YYYY-MM-DD'),
  schema: () => ({ type: 'string', format: 'date', examples: ['2026-01-31'] }),
  fromSearch: (text) => (isIsoDate(text) ? text : undefined),
  expected: 'a day as YYYY-MM-DD',
};
