import { type Fragment, sql } from '../../sql/sql-text.ts';
import { amount } from '../option-kind.ts';
import type { ColumnSchema, Narrowing } from './column-schema.ts';
import { type AnyOptions, declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, type InvalidValue, invalidValue, type OwnOptions, plainValues } from './field-type.ts';

interface NumberOptions extends FieldOptions<number> {
  min?: number;
  max?: number;
}

const numberPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/** Parses a number. Returns the text itself if it is not a number. */
const toNumber = (text: string): unknown => {
  const number = numberPattern.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : text;
};

const checkRange = (value: number, { min, max }: AnyOptions): InvalidValue | undefined => {
  if (min !== undefined && value < min) return invalidValue('minimum', `must be at least ${min}`, { limit: min });
  if (max !== undefined && value > max) return invalidValue('maximum', `must be at most ${max}`, { limit: max });
  return undefined;
};

const numberSchema = (type: string, { min, max }: AnyOptions, example: number): Record<string, unknown> => ({
  type,
  ...(min === undefined ? {} : { minimum: min }),
  ...(max === undefined ? {} : { maximum: max }),
  examples: [min ?? Math.min(example, max ?? example)],
});

/** `toStored` converts a limit to the stored form of values. */
export function rangeNarrowings(
  column: Fragment,
  before: ColumnSchema,
  { min, max }: ColumnSchema,
  toStored: (limit: number) => unknown,
): Narrowing[] {
  const narrowed: Narrowing[] = [];
  if (max !== undefined && (before.max ?? Infinity) > max)
    narrowed.push({ violated: sql`${column} > ${toStored(max)}`, description: `hold a value above ${max}` });
  if (min !== undefined && (before.min ?? -Infinity) < min)
    narrowed.push({ violated: sql`${column} < ${toStored(min)}`, description: `hold a value below ${min}` });
  return narrowed;
}

const numberValues = {
  ...plainValues,
  ownOptions: { min: amount, max: amount } satisfies OwnOptions<NumberOptions>,
  fromForm: toNumber,
  /** Adding 0 turns -0 into 0, because JSON has no negative zero. */
  toStored: (value: number): unknown => value + 0,
  toJson: String,
  narrowings: (column, before, after) => rangeNarrowings(column, before, after, (limit) => limit),
} as const satisfies Partial<FieldType>;

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
