import { declareField, type ExactOptions, type Field } from './field.ts';

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
