import { readJson } from '../../../http/bodies/json-body.ts';
import { Problem } from '../../../platform/errors.ts';
import { amount } from '../option-kind.ts';
import { declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, invalidValue, jsonValues, type OwnOptions } from './field-type.ts';

/** Parses with the rules of JSON bodies. Undefined for a text that is not JSON. */
export const parseJsonText = (text: string): unknown => {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof Problem && error.code === 'json_invalid') return undefined;
    throw error;
  }
};

export interface JsonOptions extends FieldOptions<unknown> {
  /** The maximum size of the JSON text in bytes. The default is 65,536. */
  max?: number;
}

export const json = <const O extends JsonOptions = Record<never, never>>(
  options?: ExactOptions<O, JsonOptions>,
): Field<unknown, O> => declareField('json', options);

const defaultMax = 65_536;

/** The limit protects recursive code from deeply nested JSON. */
const maxDepth = 32;

const isWithinDepth = (value: unknown, remainingDepth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (remainingDepth > 0 && Object.values(value).every((member) => isWithinDepth(member, remainingDepth - 1)));

/** JSON can contain `1e400`, which is parsed as infinity and would be stored as null. */
const hasFiniteNumbers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(hasFiniteNumbers)
    : typeof value !== 'number' || Number.isFinite(value);

export const jsonType: FieldType = {
  ...jsonValues,
  name: 'json',
  check(value, { max = defaultMax }) {
    if (!isWithinDepth(value, maxDepth))
      return invalidValue('maxDepth', `must not be nested deeper than ${maxDepth} levels`, { limit: maxDepth });
    if (!hasFiniteNumbers(value)) return invalidValue('type', 'must not contain a number that is too large');
    const size = Buffer.byteLength(JSON.stringify(value) ?? '');
    return size > max ? invalidValue('maxLength', `must have at most ${max} bytes as JSON`, { limit: max }) : undefined;
  },
  ownOptions: { max: amount } satisfies OwnOptions<JsonOptions>,
  fromForm: (text) => parseJsonText(text) ?? text,
  checkOptions({ searchable, sortable, unique }, report) {
    if (searchable || sortable || unique) report('it can be neither searchable, sortable nor unique; leave those out.');
  },
  schema: () => ({ description: 'Any JSON value.', examples: [{ key: 'value' }] }),
  fromSearch: () => undefined,
  expected: 'no search',
  convertibleFrom: ['text', 'integer', 'number', 'boolean', 'timestamp', 'date', 'enum', 'list', 'uuid'],
};
