import { type Decimal, formatDecimal, fromSortable, parseDecimal, sortableDecimal } from '../../../platform/decimal.ts';
import { type Fragment, sql } from '../../sql/sql-text.ts';
import { amount } from '../option-kind.ts';
import type { ColumnSchema, Narrowing } from './column-schema.ts';
import { type AnyOptions, declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, type InvalidValue, invalidValue, type OwnOptions, plainValues } from './field-type.ts';
import { rangeNarrowings } from './numeric.ts';

/** The stored text of a decimal, for SQL: `toDecimalColumn('12.50')` is `02 12.5`. */
export function toDecimalColumn(text: string): string {
  const value = parseDecimal(text);
  if (!value) throw new TypeError(`toDecimalColumn takes a decimal as a string, such as "12.50". It got "${text}".`);
  return sortableDecimal(value);
}

/** The decimal of a stored text, with at least `scale` digits after the point: `fromDecimalColumn('02 12.5', 2)` is `12.50`. */
export const fromDecimalColumn = (stored: string, scale = 0): string => formatDecimal(fromSortable(stored), scale);

interface DecimalOptions extends FieldOptions<string> {
  /** The total number of digits, at most 65. */
  precision: number;
  /** The number of digits after the point. */
  scale: number;
  min?: number;
  max?: number;
}

/** An exact decimal, such as an amount of money. In JSON it is a string: `"12.50"`. */
export const decimal = <const O extends DecimalOptions>(options: ExactOptions<O, DecimalOptions>): Field<string, O> =>
  declareField('decimal', options);

const maxDigits = 65;

const toSortable = (text: string): string | undefined => {
  const value = parseDecimal(text);
  return value && sortableDecimal(value);
};

const wholeDigits = ({ units, scale }: Decimal): number => {
  const digits = String(units < 0n ? -units : units).length - scale;
  return units === 0n ? 0 : Math.max(0, digits);
};

function check(value: unknown, { precision = 0, scale = 0, min, max }: AnyOptions): InvalidValue | undefined {
  const parsed = typeof value === 'string' ? parseDecimal(value) : undefined;
  if (!parsed) return invalidValue('type', 'must be a decimal as a string, such as "12.50"');
  if (parsed.scale > scale)
    return invalidValue('scale', `must have at most ${scale} digits after the point`, { limit: scale });
  const wholeDigitLimit = precision - scale;
  if (wholeDigits(parsed) > wholeDigitLimit) {
    return invalidValue('precision', `must have at most ${wholeDigitLimit} digits before the point`, {
      limit: wholeDigitLimit,
    });
  }
  const stored = sortableDecimal(parsed);
  const [minStored, maxStored] = [toSortable(String(min)), toSortable(String(max))];
  if (minStored !== undefined && stored < minStored)
    return invalidValue('minimum', `must be at least ${min}`, { limit: min });
  if (maxStored !== undefined && stored > maxStored)
    return invalidValue('maximum', `must be at most ${max}`, { limit: max });
  return undefined;
}

function schema(options: AnyOptions): Record<string, unknown> {
  const { precision = 0, scale = 0, min, max } = options;
  const wholePattern = precision > scale ? `\\d{1,${precision - scale}}` : '0';
  const sign = (min ?? -1) < 0 ? '-?' : '';
  const candidates = ['12.50', '1.5', '1', '0.5', '0', String(min ?? 0), String(max ?? 0)];
  const example = candidates.find((text) => !check(text, options));
  const exampleValue = example === undefined ? undefined : parseDecimal(example);
  return {
    type: 'string',
    format: 'decimal',
    pattern: `^${sign}${wholePattern}${scale === 0 ? '' : `(\\.\\d{1,${scale}})?`}$`,
    ...(exampleValue ? { examples: [formatDecimal(exampleValue, scale)] } : {}),
    ...(min === undefined ? {} : { 'x-minimum': String(min) }),
    ...(max === undefined ? {} : { 'x-maximum': String(max) }),
  };
}

function checkOptions({ precision, scale, min, max }: AnyOptions, report: (message: string) => void): void {
  if (!Number.isInteger(precision) || Number(precision) < 1 || Number(precision) > maxDigits) {
    report(
      `precision takes the number of digits in all, from 1 to ${maxDigits}: decimal({ precision: 10, scale: 2 }).`,
    );
  } else if (!Number.isInteger(scale) || Number(scale) < 0 || Number(scale) > Number(precision)) {
    report(`scale takes the number of digits after the point, from 0 to the precision ${precision}.`);
  } else {
    for (const [name, bound] of Object.entries({ min, max })) {
      const refusal = bound === undefined ? undefined : check(String(bound), { precision, scale });
      if (refusal) report(`${name} ${bound} ${refusal.message}.`);
    }
  }
}

function tooManyDigits(column: Fragment, { precision = 0, scale = 0 }: ColumnSchema): Fragment {
  const whole = sql`case when ${column} < '0' then 99 - cast(substr(${column}, 2, 2) as integer) else cast(substr(${column}, 1, 2) as integer) end`;
  const frame = sql`case when ${column} < '0' then 6 else 4 end`;
  const isSmall = sql`(${column} like '01 0%' or ${column} like '-98 9%')`;
  return sql`((${whole}) > ${Math.max(1, precision - scale)} or length(${column}) - (${frame}) - (${whole}) > ${scale} or (${precision - scale} = 0 and not ${isSmall}))`;
}

function narrowings(column: Fragment, before: ColumnSchema, after: ColumnSchema): Narrowing[] {
  const { precision = 0, scale = 0 } = after;
  const [previousWholeDigits, previousScale] = [(before.precision ?? 99) - (before.scale ?? 0), before.scale ?? 99];
  const description = `have more digits in it than precision ${precision} and scale ${scale} allow`;
  return [
    ...(previousWholeDigits > precision - scale || previousScale > scale
      ? [{ violated: tooManyDigits(column, after), description }]
      : []),
    ...rangeNarrowings(column, before, after, (limit) => toSortable(String(limit))),
  ];
}

const decimalOf = ({ scale = 0 }: Pick<AnyOptions, 'scale'>): FieldType => ({
  ...plainValues,
  name: 'decimal',
  storage: 'text',
  ownOptions: { precision: amount, scale: amount, min: amount, max: amount } satisfies OwnOptions<DecimalOptions>,
  checkOptions,
  check,
  toStored: (value) => toSortable(String(value)),
  fromStored: (stored: string) => formatDecimal(fromSortable(stored), scale),
  toJson: (stored: string) => `"${formatDecimal(fromSortable(stored), scale)}"`,
  schema,
  fromSearch: toSortable,
  expected: 'a decimal such as 12.50',
  bounds: (options) => ({
    ...plainValues.bounds(options),
    ...(options.precision === undefined ? {} : { precision: options.precision }),
    ...(options.scale === undefined ? {} : { scale: options.scale }),
  }),
  narrowings,
  withOptions: decimalOf,
});

export const decimalType: FieldType = decimalOf({});
