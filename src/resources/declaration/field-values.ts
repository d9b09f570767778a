import { isUuid } from '../../database/uuid.ts';
import { Problem } from '../../errors.ts';
import { readJson } from '../../http/bodies/json-body.ts';
import { isDay, parseMoment, writeMoment } from './fields/timestamps.ts';
import type { AnyOptions, FieldType } from './fields.ts';

/** Why a value is refused: a code for programs, and the end of the sentence "<field> …". */
export interface Refusal {
  readonly code: string;
  readonly says: string;
}

/** What the engine must know of a type of values. A stored value is what the database holds; null is dealt with before. */
export interface ValueKind {
  readonly storage: 'text' | 'bigint' | 'real';
  check(value: unknown, options: AnyOptions): Refusal | undefined;
  /** The value that a form means by its text; what cannot be read passes on as it is, and is refused by `check`. */
  fromForm(text: string): unknown;
  toStored(value: unknown): unknown;
  fromStored(stored: unknown): unknown;
  /** The JSON text of a stored value. */
  toJson(stored: unknown): string;
  /** The stored value that a search means by its text, or undefined. */
  fromSearch(text: string): unknown;
  /** Ends the sentence "it takes …". */
  takes: string;
}

const same = (value: unknown): unknown => value;
const refuse = (code: string, says: string): Refusal => ({ code, says });
const length = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

export const defaultTextMax = 255;

function checkText(value: unknown, { min = 1, max = defaultTextMax, pattern }: AnyOptions): Refusal | undefined {
  if (typeof value !== 'string') return refuse('type', 'must be a text');
  if (!value.isWellFormed() || value.includes('\0')) {
    return refuse('format', 'must be valid Unicode text without NUL characters');
  }
  const size = value.length < min || value.length > max ? length(value) : value.length;
  if (size < min) return refuse('minLength', size === 0 ? 'must not be empty' : `must have at least ${min} characters`);
  if (size > max) return refuse('maxLength', `must have at most ${max} characters`);
  if (pattern && !pattern.test(value)) return refuse('pattern', `must match ${pattern.source}`);
  return undefined;
}

const range = (value: number, { min, max }: AnyOptions): Refusal | undefined => {
  if (min !== undefined && value < min) return refuse('minimum', `must be at least ${min}`);
  if (max !== undefined && value > max) return refuse('maximum', `must be at most ${max}`);
  return undefined;
};

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;
const toNumber = (text: string): unknown => {
  const number = decimal.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : text;
};

/** Not among the characters that JSON takes as they are; a surrogate may be half a pair. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
/** As JSON.stringify, with less ado over the texts that need no escape: 68 instead of 94 ns. */
const textToJson = (stored: unknown): string =>
  escaped.test(stored as string) ? JSON.stringify(stored) : `"${stored}"`;

const string: Pick<ValueKind, 'storage' | 'fromForm' | 'toStored' | 'fromStored' | 'toJson'> = {
  storage: 'text',
  fromForm: same,
  toStored: same,
  fromStored: same,
  toJson: textToJson,
};

/** Deeper JSON than this is no data but an attack on whoever walks through it. */
const maxDepth = 32;
const depthWithin = (value: unknown, left: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((inner) => depthWithin(inner, left - 1)));

/** By the rules of every JSON body; undefined for a text that is not JSON. */
const parseJsonText = (text: string): unknown => {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof Problem && error.code === 'json_invalid') return undefined;
    throw error;
  }
};

const text: ValueKind = { ...string, check: checkText, fromSearch: same, takes: 'a text' };

const identifier: ValueKind = {
  ...string,
  check: (value) => (typeof value === 'string' && isUuid(value) ? undefined : refuse('format', 'must be a UUID')),
  fromSearch: (value) => (isUuid(value.toLowerCase()) ? value.toLowerCase() : undefined),
  takes: 'a UUID',
};

/** Ids of resources that do not use UUIDs. */
export const textIdentifier: ValueKind = {
  ...text,
  check: (value) => checkText(value, { max: 128 }),
  takes: 'an id',
};

const integer: ValueKind = {
  storage: 'bigint',
  check: (value, options) =>
    Number.isSafeInteger(value) ? range(value as number, options) : refuse('type', 'must be a whole number'),
  fromForm: toNumber,
  toStored: (value) => (value as number) + 0,
  fromStored: same,
  toJson: String,
  fromSearch: (value) =>
    /^[+-]?\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) + 0 : undefined,
  takes: 'a whole number',
};

const kinds = new Map<FieldType, ValueKind>([
  ['text', text],
  ['integer', integer],
  [
    'number',
    {
      ...integer,
      storage: 'real',
      check: (value, options) =>
        typeof value === 'number' && Number.isFinite(value)
          ? range(value, options)
          : refuse('type', 'must be a number'),
      fromSearch(value) {
        const number = toNumber(value);
        return typeof number === 'number' ? number + 0 : undefined;
      },
      takes: 'a number',
    },
  ],
  [
    'boolean',
    {
      storage: 'bigint',
      check: (value) => (typeof value === 'boolean' ? undefined : refuse('type', 'must be true or false')),
      fromForm: (value) => readFlag(value) ?? value,
      toStored: (value) => (value ? 1 : 0),
      fromStored: (stored) => stored === 1,
      toJson: (stored) => (stored === 1 ? 'true' : 'false'),
      fromSearch(value) {
        const flag = readFlag(value);
        return flag === undefined ? undefined : flag ? 1 : 0;
      },
      takes: 'true or false',
    },
  ],
  [
    'date',
    {
      ...string,
      check: (value) =>
        typeof value === 'string' && isDay(value) ? undefined : refuse('format', 'must be a day as YYYY-MM-DD'),
      fromSearch: (value) => (isDay(value) ? value : undefined),
      takes: 'a day as YYYY-MM-DD',
    },
  ],
  [
    'timestamp',
    {
      storage: 'bigint',
      check: (value) =>
        typeof value === 'string' && parseMoment(value) !== undefined
          ? undefined
          : refuse('format', 'must be a moment as RFC 3339 writes it, such as 2026-01-31T12:00:00Z'),
      fromForm: same,
      toStored: (value) => parseMoment(value as string),
      fromStored: (stored) => writeMoment(stored as number),
      toJson: (stored) => `"${writeMoment(stored as number)}"`,
      fromSearch: (value) => parseMoment(isDay(value) ? `${value}T00:00:00Z` : value),
      takes: 'a moment such as 2026-01-31T12:00:00Z, or a day',
    },
  ],
  [
    'enum',
    {
      ...string,
      check: (value, { values = [] }) =>
        values.includes(value as string) ? undefined : refuse('enum', `must be one of: ${values.join(', ')}`),
      fromSearch: same,
      takes: 'one of its values',
    },
  ],
  [
    'json',
    {
      ...string,
      check(value, { max = 65_536 }) {
        if (!depthWithin(value, maxDepth))
          return refuse('maxDepth', `must not be nested deeper than ${maxDepth} levels`);
        const size = Buffer.byteLength(JSON.stringify(value) ?? '');
        return size > max ? refuse('maxLength', `must have at most ${max} bytes as JSON`) : undefined;
      },
      fromForm: (value) => parseJsonText(value) ?? value,
      toStored: (value) => JSON.stringify(value),
      fromStored: (stored) => JSON.parse(stored as string),
      toJson: (stored) => stored as string,
      fromSearch: () => undefined,
      takes: 'no search',
    },
  ],
  [
    'list',
    {
      ...string,
      check: checkList,
      fromForm: (value) =>
        (value.startsWith('[') ? parseJsonText(value) : value === '' ? [] : value.split(',')) ?? value,
      toStored: (value) => JSON.stringify(value),
      fromStored: (stored) => JSON.parse(stored as string),
      toJson: (stored) => stored as string,
      fromSearch: same,
      takes: 'an item of the list',
    },
  ],
  ['uuid', identifier],
  ['reference', identifier],
]);

const flags = new Map([
  ['true', true],
  ['1', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['off', false],
]);

/** What a form or a search means by a yes or no; undefined for another text. */
export const readFlag = (text: string): boolean | undefined => flags.get(text.toLowerCase());

function checkList(value: unknown, { values, max = 100, maxItem = defaultTextMax }: AnyOptions): Refusal | undefined {
  if (!Array.isArray(value)) return refuse('type', 'must be a list of texts');
  if (value.length > max) return refuse('maxItems', `must have at most ${max} items`);
  for (const item of value) {
    const wrong = checkText(item, { max: maxItem });
    if (wrong) return refuse(wrong.code, `holds an item that ${wrong.says}`);
    if (values && !values.includes(item)) return refuse('enum', `may hold only: ${values.join(', ')}`);
  }
  return new Set(value).size === value.length ? undefined : refuse('uniqueItems', 'must not hold an item twice');
}

export function kindOf(type: FieldType): ValueKind {
  const kind = kinds.get(type);
  if (!kind) throw new Error(`fields of type ${type} are not stored`);
  return kind;
}
