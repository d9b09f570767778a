import type { Caller } from '../../../platform/caller.ts';

export interface DefaultCall {
  readonly caller: Caller;
  readonly now: number;
}

/** A value, or a function of the call that makes one: `default: ({ caller }) => caller.userId`. */
export type Default<T> = T | ((call: DefaultCall) => T | null);

/** The options of fields of every type. */
export interface FieldOptions<T> {
  /** Must be sent on POST and PUT (unless there is a default), and is never null. */
  required?: boolean;
  /** Must be sent on POST. Rows that were made in another way may be without it. */
  requiredToCreate?: boolean;
  /** Taken where POST or PUT leaves the field out. A field with a default is never null. */
  default?: Default<T>;
  /** No two rows may hold the same value. */
  unique?: boolean;
  /** Set by the service only: sending it is refused. */
  readOnly?: boolean;
  /** Can be sent, is never shown. */
  writeOnly?: boolean;
  /** Set when the row is made, never changed afterwards. */
  immutable?: boolean;
  /** Stored, but neither sent nor shown: for hooks, rules and computed fields. */
  hidden?: boolean;
  /** Sent, but not stored: a hook turns it into something else. */
  virtual?: boolean;
  searchable?: boolean;
  sortable?: boolean;
  /** The former name, or names, of the field. Its values are found under them. */
  renamedFrom?: string | readonly string[];
  /** The column, where it is not named as the field. */
  column?: string;
  /** The name of the field for people; the default is made of its name. */
  label?: string;
  /** How to fill it in, for people: shown below the control, and where a pattern refuses a value. */
  hint?: string;
  description?: string;
  example?: T;
}

/** The options of every type, as the engine reads them. */
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

/** A declared field. `T` is its value in JSON, `O` what was said about it: rows and inputs are inferred from both. */
export interface Field<T = unknown, O = unknown> {
  /** The name of its type (`field-types.ts`), or `computed`. */
  readonly type: string;
  readonly options: AnyOptions;
  /** Only of computed fields: makes the value from the fields it names. */
  readonly compute?: (row: Record<string, unknown>) => unknown;
  readonly [shape]?: { value: T; options: O };
}

/** The declared options with their literal types. The compiler reports an option that this field type does not have. */
export type ExactOptions<O, Options> = Options & O & Unknown<Exclude<keyof O, keyof Options>>;
type Unknown<K> = [K] extends [never]
  ? unknown
  : { readonly [P in K & string]: `There is no option "${P}" of this field` };

export type Fields = Readonly<Record<string, Field>>;

export const declareField = <T, O>(type: string, options: object | undefined): Field<T, O> => ({
  type,
  options: Object.freeze({ ...options }) as AnyOptions,
});
