import { didYouMean } from '../check-options.ts';
import { declareField, type ExactOptions, type Field, type Fields } from './field.ts';

export interface ComputedOptions {
  /** The JSON type of the value, for the API description. */
  as: 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json' | 'list';
  /** The fields that the value is computed from. They may be hidden. */
  from: readonly string[];
  nullable?: boolean;
  label?: string;
  description?: string;
  example?: unknown;
}

/** Only the fields in `from`. Their types are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: the types of the other fields are not known yet.
type SourcesOf<O extends ComputedOptions> = { readonly [K in O['from'][number]]: any };

const typeName = 'computed';

/** A field that is computed from other fields whenever a row is shown. It is never stored or sent. Its values are JSON values. */
export const computed = <T, const O extends ComputedOptions = ComputedOptions>(
  options: ExactOptions<O, ComputedOptions>,
  compute: (row: SourcesOf<O>) => T,
): Field<T, O & { readOnly: true; required: true }> => ({
  ...declareField<T, O & { readOnly: true; required: true }>(typeName, { ...options, readOnly: true }),
  compute: compute as Field['compute'] & {},
});

/** A computed field has no field type. It names the type of its values. */
export const isComputed = ({ type }: Field): boolean => type === typeName;

export const storedNames = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => {
    const field = fields[name];
    return field && !isComputed(field) && !field.options.virtual;
  });

export function checkComputed({ options, compute }: Field, fields: Fields, report: (message: string) => void): void {
  const stored = ['id', ...storedNames(fields), 'created_at', 'updated_at'];
  for (const source of options.from ?? []) {
    if (!stored.includes(source)) report(`from: there is no stored field "${source}".${didYouMean(source, stored)}`);
  }
  if (options.as === undefined) report("as is missing: the type of the value, such as 'text'.");
  if (options.from === undefined) report('from is missing: the names of the fields that the value is computed from.');
  if (typeof compute !== 'function') report('a computed field needs a function.');
}
