import { isIsoDate } from '../../../platform/is-iso-date.ts';
import { declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, invalidValue, plainValues } from './field-type.ts';
import { formatTimestamp, parseTimestamp } from './timestamps.ts';

/** A point in time in the format of RFC 3339. Responses use UTC. */
export const timestamp = <const O extends FieldOptions<string> = Record<never, never>>(
  options?: ExactOptions<O, FieldOptions<string>>,
): Field<string, O> => declareField('timestamp', options);

/** Stored as milliseconds since 1970. */
export const timestampType: FieldType = {
  ...plainValues,
  name: 'timestamp',
  storage: 'bigint',
  toStored: (value: string) => parseTimestamp(value),
  fromStored: (stored: number) => formatTimestamp(stored),
  toJson: (stored: number) => `"${formatTimestamp(stored)}"`,
  check: (value) =>
    typeof value === 'string' && parseTimestamp(value) !== undefined
      ? undefined
      : invalidValue('format', 'must be a time in the format of RFC 3339, such as 2026-01-31T12:00:00Z'),
  schema: () => ({ type: 'string', format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] }),
  fromSearch: (text) => parseTimestamp(isIsoDate(text) ? `${text}T00:00:00Z` : text),
  expected: 'a time such as 2026-01-31T12:00:00Z, or a day',
};
