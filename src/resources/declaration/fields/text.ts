import type { Engine } from '../../../database/database.ts';
import { type Fragment, longTextBudgetMark, raw, sql } from '../../sql/sql-text.ts';
import { amount, expression, oneOfValues } from '../option-kind.ts';
import { type AnyOptions, declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import {
  type FieldType,
  type InvalidValue,
  invalidValue,
  type OwnOptions,
  type SearchedField,
  type SearchTerm,
  textValues,
  toSearchValue,
} from './field-type.ts';
import { prefixUpperBound } from './folding.ts';

export interface TextOptions extends FieldOptions<string> {
  /** The minimum number of characters. The default is 1. `min: 0` allows the empty text. */
  min?: number;
  /** The maximum number of characters. The default is 255. */
  max?: number;
  pattern?: RegExp;
  /**
   * For tables that the resource engine does not manage. `stored`: the column contains lowercase text. `lower` (the default there): the
   * text is folded when it is compared, ASCII only and without an index.
   */
  folded?: 'stored' | 'lower';
}

export const text = <const O extends TextOptions = Record<never, never>>(
  options?: ExactOptions<O, TextOptions>,
): Field<string, O> => declareField('text', options);

export const defaultMax = 255;
const maxOf = ({ max = defaultMax }: AnyOptions): number => max;

/** The number of characters that always fit into an index of PostgreSQL. Its size is limited in bytes, and a character has up to four. */
export const indexableMax = 500;

const characterCount = (value: string): number => {
  let count = 0;
  for (const _ of value) count++;
  return count;
};

/** Shows the hint of the operator, because a regular expression is hard to read. */
const patternError = (hint: string | undefined, { source }: RegExp): InvalidValue =>
  hint === undefined
    ? invalidValue('pattern', `must match ${source}`)
    : invalidValue('pattern', `does not have the right form: ${hint.replace(/\.$/, '')}`, { values: [hint] });

export function checkText(
  value: unknown,
  { min = 1, max = defaultMax, pattern, hint }: AnyOptions,
): InvalidValue | undefined {
  if (typeof value !== 'string') return invalidValue('type', 'must be a string');
  if (!value.isWellFormed() || value.includes('\0')) {
    return invalidValue('format', 'must be valid Unicode text without NUL characters');
  }
  const size = value.length < min || value.length > max ? characterCount(value) : value.length;
  if (size < min) {
    const message = size === 0 ? 'must not be empty' : `must have at least ${min} characters`;
    return invalidValue('minLength', message, { limit: min });
  }
  if (size > max) return invalidValue('maxLength', `must have at most ${max} characters`, { limit: max });
  if (pattern && !pattern.test(value)) return patternError(hint, pattern);
  return undefined;
}

/** The pattern for a JSON Schema, which has no flags. Undefined if it means something else without its flags. */
export const publishedPattern = (pattern: RegExp | undefined): string | undefined =>
  pattern && !/[imsv]/.test(pattern.flags) ? pattern.source : undefined;

const likelyExamples = [
  ...['text', 'Text', 'TEXT', 'a-text', 'a_text', 'AB 123', 'AB-123', 'AB123', 'ab123', '1234', '12345', '#17614d'],
  ...['2026-01-31', '12:30', '1.0.0', 'ada@example.com', 'https://example.com', '+12133734253'],
];

/** An example that fits the constraints, if one is known. A declared example is better. */
function exampleOf(min: number, max: number, pattern: RegExp | undefined): { examples?: string[] } {
  const candidates = [
    ...likelyExamples,
    'text'.repeat(Math.ceil(min / 4)).slice(0, Math.max(min, 1)),
    'text'.slice(0, max),
  ];
  const example = candidates.find((text) => text.length >= min && text.length <= max && (pattern?.test(text) ?? true));
  return example === undefined ? {} : { examples: [example] };
}

export const textType: FieldType = {
  ...textValues,
  name: 'text',
  check: checkText,
  takesEmptyText: ({ min }) => min === 0,
  ownOptions: {
    min: amount,
    max: amount,
    pattern: expression,
    folded: oneOfValues('stored', 'lower'),
  } satisfies OwnOptions<TextOptions>,
  checkOptions(options, report) {
    if (options.unique && maxOf(options) > indexableMax) {
      report(`it is too long to be unique; give it a max of at most ${indexableMax}.`);
    }
  },
  schema: ({ min = 1, max = defaultMax, pattern }) => {
    const published = publishedPattern(pattern);
    return {
      type: 'string',
      minLength: min,
      maxLength: max,
      ...(published === undefined ? {} : { pattern: published }),
      ...exampleOf(min, max, pattern),
    };
  },
  fromSearch: (value, field) => field.foldText(value),
  expected: 'a text',
  matches: (term, field, engine, alias) =>
    term.wildcardBefore || term.wildcardAfter
      ? wildcardSql(engine, field.comparisonSql(alias), field, term)
      : [toSearchValue(term.text, field)],
  maxLength: maxOf,
  isFolded: true,
  bounds: (options) => ({ ...textValues.bounds(options), max: maxOf(options) }),
  narrowings(column, before, { max }) {
    if (max === undefined || (before.max ?? Number.POSITIVE_INFINITY) <= max) return [];
    return [{ violated: sql`length(${column}) > ${max}`, description: `have more than ${max} characters in it` }];
  },
  isPlainText: true,
  convertibleFrom: ['integer', 'number', 'decimal', 'boolean', 'timestamp', 'date', 'uuid', 'reference'],
};

function wildcardSql(
  engine: Engine,
  column: string,
  field: SearchedField,
  { text, wildcardBefore, wildcardAfter }: SearchTerm,
): Fragment {
  const compared = raw(column);
  const folded = field.foldText(text);
  if (folded === '') return sql`${compared} is not null`;
  if (wildcardBefore && wildcardAfter) {
    const position = raw(engine === 'sqlite' ? 'instr' : 'strpos');
    return sql`(${field.indexed ? raw('') : longTextBudgetMark} ${position}(${compared}, ${folded}) > 0)`;
  }
  if (wildcardBefore) {
    const count = characterCount(folded);
    return engine === 'sqlite'
      ? sql`substr(${compared}, ${-count}) = ${folded}`
      : sql`right(${compared}, ${count}) = ${folded}`;
  }
  const end = prefixUpperBound(folded);
  return end === undefined ? sql`${compared} >= ${folded}` : sql`(${compared} >= ${folded} and ${compared} < ${end})`;
}

const maxIdLength = 128;

/** Ids of resources that do not use UUIDs. */
export const textIdType: FieldType = {
  ...textType,
  check: (value) => checkText(value, { max: maxIdLength }),
  expected: 'an id',
};

/** A field with such ids. They are compared unchanged. */
export const textId = (options: FieldOptions<string>): Field =>
  text({ ...options, folded: 'stored', max: maxIdLength });
