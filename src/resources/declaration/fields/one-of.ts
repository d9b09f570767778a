import { unknownName } from '../../../http/errors/parameter-errors.ts';
import { isOneOf } from '../../../platform/is-one-of.ts';
import { join, sql } from '../../sql/sql-text.ts';
import { anything } from '../option-kind.ts';
import { declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, invalidValue, type SearchedField, type SearchTerm, textValues } from './field-type.ts';

export const oneOf = <
  const V extends readonly string[],
  const O extends FieldOptions<V[number]> = Record<never, never>,
>(
  values: V,
  options?: ExactOptions<O, FieldOptions<V[number]>>,
): Field<V[number], O> => declareField('enum', options, { values });

export const oneOfType: FieldType = {
  ...textValues,
  name: 'enum',
  check: (value, { values = [] }) =>
    isOneOf(values, value) ? undefined : invalidValue('enum', `must be one of: ${values.join(', ')}`, { values }),
  ownOptions: { values: anything },
  checkOptions({ values }, report) {
    if (
      !Array.isArray(values) ||
      values.length === 0 ||
      values.some((value) => typeof value !== 'string' || value === '')
    ) {
      report('expected a list of non-empty strings.');
    }
  },
  schema: ({ values = [] }) => ({ type: 'string', enum: [...values], examples: [values[0]] }),
  fromSearch: (text) => text,
  expected: 'one of its values',
  hasOrder: false,
  matches: matchingValues,
  bounds: (options) => ({ ...textValues.bounds(options), ...(options.values ? { values: [...options.values] } : {}) }),
  narrowings(column, before, { values }) {
    if (!values) return [];
    const isWider = before.type === 'enum' && (before.values ?? []).every((value) => values.includes(value));
    if (isWider) return [];
    const allowed = join(
      values.map((value) => sql`${value}`),
      ', ',
    );
    return [{ violated: sql`${column} not in (${allowed})`, description: 'hold a value that is no longer allowed' }];
  },
  isPlainText: true,
};

/** The matching values, ignoring case. A wildcard may match several values. */
function matchingValues({ text, wildcardBefore, wildcardAfter }: SearchTerm, { name, options }: SearchedField) {
  const { values = [] } = options;
  const searched = text.toLowerCase();
  const matches = values.filter((value) => {
    const lowercase = value.toLowerCase();
    if (wildcardBefore && wildcardAfter) return lowercase.includes(searched);
    if (wildcardBefore) return lowercase.endsWith(searched);
    return wildcardAfter ? lowercase.startsWith(searched) : lowercase === searched;
  });
  if (matches.length === 0 && !wildcardBefore && !wildcardAfter) {
    throw unknownName(`search: for ${name} the value`, text, values, 'value_unknown');
  }
  return matches;
}
