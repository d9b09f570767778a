import type { Field, Fields } from './field.ts';

export type OptionsOf<F> = F extends Field<unknown, infer O> ? O : never;
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

/** A row in the JSON of a response. */
export type ShownRow<F extends Fields> = Flat<
  { id: string } & {
    [K in keyof F as true extends Has<F[K], 'writeOnly'> | Has<F[K], 'hidden'> | Has<F[K], 'virtual'>
      ? never
      : K]: Value<F[K]>;
  }
>;
/** A row with all stored fields, as JSON values. Hooks get it. */
export type WholeRow<F extends Fields> = Flat<
  { id: string } & { [K in keyof F as Has<F[K], 'virtual'> extends true ? never : K]: Value<F[K]> }
>;
export type InputOf<F extends Fields> = Flat<
  { [K in MustSend<F>]: Value<F[K]> } & { [K in Exclude<Sendable<F>, MustSend<F>>]?: Value<F[K]> }
>;
/** Field values of a write. Hooks may add hidden and read-only fields. */
export type WriteValues<F extends Fields> = { -readonly [K in keyof F]?: Value<F[K]> };
