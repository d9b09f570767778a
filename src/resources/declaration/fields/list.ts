import { jsonArrayContains } from '../../sql/json-arrays.ts';
import { quoted, sql } from '../../sql/sql-text.ts';
import { amount, texts } from '../option-kind.ts';
import { type AnyOptions, declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, invalidValue, jsonValues, type OwnOptions, rejectWildcard } from './field-type.ts';
import { parseJsonText } from './json.ts';
import { checkText, defaultMax as defaultMaxItem } from './text.ts';

export interface ListOptions extends FieldOptions<readonly string[]> {
  values?: readonly string[];
  /** The maximum number of items. The default is 100. */
  max?: number;
  /** The maximum number of characters of an item. The default is 255. */
  maxItem?: number;
}

export const list = <const O extends ListOptions = Record<never, never>>(
  options?: ExactOptions<O, ListOptions>,
): Field<string[], O> => declareField('list', options);

const defaultMax = 100;

export const listType: FieldType = {
  ...jsonValues,
  name: 'list',
  check: checkList,
  fromForm: (text) => (text.startsWith('[') ? parseJsonText(text) : text === '' ? [] : text.split(',')) ?? text,
  takesEmptyText: () => true,
  ownOptions: { values: texts, max: amount, maxItem: amount } satisfies OwnOptions<ListOptions>,
  checkOptions({ sortable, unique }, report) {
    if (sortable || unique) report('a list can be neither sortable nor unique.');
  },
  schema: ({ values, max = defaultMax, maxItem = defaultMaxItem }) => ({
    type: 'array',
    items: values ? { type: 'string', enum: [...values] } : { type: 'string', minLength: 1, maxLength: maxItem },
    maxItems: max,
    uniqueItems: true,
    examples: [values ? values.slice(0, 1) : ['item']],
  }),
  fromSearch: (text) => text,
  expected: 'an item of the list',
  hasOrder: false,
  matches(term, field, engine, alias) {
    rejectWildcard(term, field);
    return jsonArrayContains(engine, `${alias}.${quoted(field.column)}`, sql`${term.text}`);
  },
};

function checkList(value: unknown, { values, max = defaultMax, maxItem = defaultMaxItem }: AnyOptions) {
  if (!Array.isArray(value)) return invalidValue('type', 'must be a list of strings');
  if (value.length > max) return invalidValue('maxItems', `must have at most ${max} items`, { limit: max });
  for (const item of value) {
    const problem = checkText(item, { max: maxItem });
    if (problem) return { ...problem, message: `contains an item that ${problem.message}` };
    if (values && !values.includes(item))
      return invalidValue('enum', `may contain only: ${values.join(', ')}`, { values });
  }
  return new Set(value).size === value.length
    ? undefined
    : invalidValue('uniqueItems', 'must not contain an item twice');
}
