import type { Caller } from '../../../platform/caller.ts';
import { isObject } from '../../../platform/is-object.ts';

export interface DefaultCall {
  readonly caller: Caller;
  readonly now: number;
}

/** A value, or a function of the call that returns one: `default: ({ caller }) => caller.userId`. */
export type Default<T> = T | ((call: DefaultCall) => T | null);

/** The options of fields of every type. */
export interface FieldOptions<T> {
  /** Required in POST and PUT (unless there is a default), and never null. */
  required?: boolean;
  /** Required in POST. Rows that were created in another way may lack it. */
  requiredToCreate?: boolean;
  /** The value if POST or PUT omits the field. A field with a default is never null. */
  default?: Default<T>;
  /** No two rows may have the same value. */
  unique?: boolean;
  /** Only the service sets it. A request that sends it is rejected. */
  readOnly?: boolean;
  /** Can be sent, but is never shown. */
  writeOnly?: boolean;
  /** Can be set when the row is created, but not changed afterwards. */
  immutable?: boolean;
  /** Stored, but neither sent nor shown. For hooks, rules and computed fields. */
  hidden?: boolean;
  /** Sent, but not stored. A hook uses it. */
  virtual?: boolean;
  searchable?: boolean;
  sortable?: boolean;
  /** The former name, or names, of the field. Its existing values are found under these names. */
  renamedFrom?: string | readonly string[];
  /** The name of the column, if it differs from the name of the field. */
  column?: string;
  /** The label of the field, for people. The default is derived from its name. */
  label?: string;
  /** A help text for people. It is shown below the control, and when a pattern rejects a value. */
  hint?: string;
  description?: string;
  example?: T;
}

/** The options of all types, as the resource engine reads them. */
export interface AnyOptions extends Omit<FieldOptions<unknown>, 'default' | 'example'> {
  default?: unknown;
  example?: unknown;
  min?: number;
  max?: number;
  precision?: number;
  scale?: number;
  maxItem?: number;
  pattern?: RegExp;
  folded?: 'stored' | 'lower';
  values?: readonly string[];
  target?: string;
  onDelete?: 'restrict' | 'cascade' | 'set null';
  as?: string;
  from?: readonly string[];
  nullable?: boolean;
}

declare const shape: unique symbol;

/**
 * A declared field. `T` is the type of its JSON value, `O` the type of its options. The types of rows and inputs are inferred from both.
 */
export interface Field<T = unknown, O = unknown> {
  /** The name of its type (`field-types.ts`), or `computed`. */
  readonly type: string;
  readonly options: AnyOptions;
  /** For computed fields: computes the value from the fields in `from`. */
  readonly compute?: (row: Record<string, unknown>) => unknown;
  readonly [shape]?: { value: T; options: O };
}

/** The declared options with their literal types. The compiler reports an option that this field type does not have. */
export type ExactOptions<O, Options> = Options & O & Unknown<Exclude<keyof O, keyof Options>>;
type Unknown<K> = [K] extends [never]
  ? unknown
  : { readonly [P in K & string]: `There is no option "${P}" of this field` };

export type Fields = Readonly<Record<string, Field>>;

/** Without a type checker, options may be anything. `areFields` reports those that are no object. */
export const declareField = <T, O>(type: string, options: object = {}, fixedOptions: object = {}): Field<T, O> => ({
  type,
  options: isObject(options) ? Object.freeze({ ...options, ...fixedOptions }) : options,
});
