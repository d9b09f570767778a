import type { Caller } from '../../caller.ts';

export type FieldType =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'enum'
  | 'json'
  | 'list'
  | 'uuid'
  | 'reference'
  | 'computed';

/** What a default may depend on. */
export interface DefaultCall {
  readonly caller: Caller;
  readonly now: number;
}

/** A value, or a function of the call that makes one: `default: ({ caller }) => caller.userId`. */
export type Default<T> = T | ((call: DefaultCall) => T | null);

export interface FieldOptions<T> {
  /** Must be sent on POST and PUT (unless there is a default), and is never null. */
  required?: boolean;
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
  /** The column, where it is not named as the field. */
  column?: string;
  description?: string;
  example?: T;
}

export interface TextOptions extends FieldOptions<string> {
  /** Characters; the default is 1. `min: 0` allows the empty text. */
  min?: number;
  /** Characters; the default is 255. */
  max?: number;
  pattern?: RegExp;
  /**
   * For tables that the engine does not manage: the column already holds lowercase text (`stored`), or it is folded when
   * compared (`lower`, the default there; ASCII only, no index).
   */
  folded?: 'stored' | 'lower';
}
export interface NumberOptions extends FieldOptions<number> {
  min?: number;
  max?: number;
}
export interface JsonOptions extends FieldOptions<unknown> {
  /** Bytes of the JSON text; the default is 65,536. */
  max?: number;
}
export interface ListOptions extends FieldOptions<readonly string[]> {
  /** The allowed items, where they are known. */
  values?: readonly string[];
  /** At most this many items; the default is 100. */
  max?: number;
  /** At most this many characters an item; the default is 255. */
  maxItem?: number;
}
export interface ReferenceOptions extends FieldOptions<string> {
  /** What happens to this row when the one it refers to is deleted. The default is `restrict`. */
  onDelete?: 'restrict' | 'cascade' | 'set null';
}
export interface ComputedOptions {
  /** The JSON type of the value, for the API description. */
  as: 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json' | 'list';
  /** Other fields (hidden ones too) that the value is made of. */
  from: readonly string[];
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

/** The options of every kind of field, as the engine reads them. */
export interface AnyOptions extends Omit<FieldOptions<unknown>, 'default' | 'example'> {
  default?: unknown;
  example?: unknown;
  min?: number;
  max?: number;
  maxItem?: number;
  pattern?: RegExp;
  folded?: 'stored' | 'lower';
  values?: readonly string[];
  target?: string;
  onDelete?: 'restrict' | 'cascade' | 'set null';
  as?: ComputedOptions['as'];
  from?: readonly string[];
  nullable?: boolean;
}

declare const shape: unique symbol;

/** A declared field. `T` is its value in JSON, `O` what was said about it: rows and inputs are inferred from both. */
export interface Field<T = unknown, O = unknown> {
  readonly type: FieldType;
  readonly options: AnyOptions;
  /** Only of computed fields: makes the value from the fields it names. */
  readonly compute?: (row: Record<string, unknown>) => unknown;
  readonly [shape]?: { value: T; options: O };
}

const field = <T, O>(type: FieldType, options: object | undefined): Field<T, O> => ({
  type,
  options: Object.freeze({ ...options }) as AnyOptions,
});

export const text = <const O extends TextOptions = Record<never, never>>(options?: O): Field<string, O> =>
  field('text', options);
/** A whole number within ±2^53. */
export const integer = <const O extends NumberOptions = Record<never, never>>(options?: O): Field<number, O> =>
  field('integer', options);
export const number = <const O extends NumberOptions = Record<never, never>>(options?: O): Field<number, O> =>
  field('number', options);
export const boolean = <const O extends FieldOptions<boolean> = Record<never, never>>(options?: O): Field<boolean, O> =>
  field('boolean', options);
/** A day, `YYYY-MM-DD`. */
export const date = <const O extends FieldOptions<string> = Record<never, never>>(options?: O): Field<string, O> =>
  field('date', options);
/** A moment, RFC 3339; answers are in UTC. */
export const timestamp = <const O extends FieldOptions<string> = Record<never, never>>(options?: O): Field<string, O> =>
  field('timestamp', options);
export const oneOf = <
  const V extends readonly string[],
  const O extends FieldOptions<V[number]> = Record<never, never>,
>(
  values: V,
  options?: O,
): Field<V[number], O> => field('enum', { ...options, values });
/** Any JSON value. */
export const json = <const O extends JsonOptions = Record<never, never>>(options?: O): Field<unknown, O> =>
  field('json', options);
/** A list of texts. */
export const list = <const O extends ListOptions = Record<never, never>>(options?: O): Field<string[], O> =>
  field('list', options);
export const uuid = <const O extends FieldOptions<string> = Record<never, never>>(options?: O): Field<string, O> =>
  field('uuid', options);
/** The id of a row of another resource, which must exist and be visible to the caller. */
export const reference = <const O extends ReferenceOptions = Record<never, never>>(
  target: string,
  options?: O,
): Field<string, O> => field('reference', { ...options, target });
/** Made from other fields whenever a row is shown; never stored or sent. Values are those that JSON shows. */
export const computed = <T, const O extends ComputedOptions = ComputedOptions>(
  options: O,
  compute: (row: Record<string, unknown>) => T,
): Field<T, O & { readOnly: true; required: true }> => ({
  ...field<T, O & { readOnly: true; required: true }>('computed', { ...options, readOnly: true }),
  compute,
});

export type Fields = Readonly<Record<string, Field>>;

type OptionsOf<F> = F extends Field<unknown, infer O> ? O : never;
type Has<F, Option extends string> = OptionsOf<F> extends { readonly [K in Option]: true } ? true : false;
type HasDefault<F> = OptionsOf<F> extends { readonly default: unknown } ? true : false;
type NotNull<F> = true extends Has<F, 'required'> | HasDefault<F> ? true : false;
type Value<F> = F extends Field<infer T, unknown> ? (NotNull<F> extends true ? T : T | null) : never;
type Flat<T> = { [K in keyof T]: T[K] };

type Sendable<F extends Fields> = {
  [K in keyof F]: true extends Has<F[K], 'readOnly'> | Has<F[K], 'hidden'> ? never : K;
}[keyof F];
type MustSend<F extends Fields> = {
  [K in Sendable<F>]: Has<F[K], 'required'> extends true ? (HasDefault<F[K]> extends true ? never : K) : never;
}[Sendable<F>];

/** A row as JSON shows it. */
export type ShownRow<F extends Fields> = Flat<
  { id: string } & {
    [K in keyof F as true extends Has<F[K], 'writeOnly'> | Has<F[K], 'hidden'> | Has<F[K], 'virtual'>
      ? never
      : K]: Value<F[K]>;
  }
>;
/** A row with all that is stored of it, in the values that JSON uses: what hooks see. */
export type WholeRow<F extends Fields> = Flat<
  { id: string } & { [K in keyof F as Has<F[K], 'virtual'> extends true ? never : K]: Value<F[K]> }
>;
/** What a caller sends to make a row. */
export type InputOf<F extends Fields> = Flat<
  { [K in MustSend<F>]: Value<F[K]> } & { [K in Exclude<Sendable<F>, MustSend<F>>]?: Value<F[K]> }
>;
/** Field values on their way to the database; hooks may add hidden and read-only ones. */
export type WriteValues<F extends Fields> = { -readonly [K in keyof F]?: Value<F[K]> };
