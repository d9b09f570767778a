import type { Fields } from './fields/field.ts';
import type { OptionsOf } from './fields/row-types.ts';

/** Keys of an object, so that compiler messages list the names. */
type Implicit<M> = { id: true } & (M extends false ? unknown : { created_at: true; updated_at: true });

type HasOption<F, Option extends string> =
  OptionsOf<F> extends { readonly [K in Option]: infer V } ? (V extends false ? false : true) : false;
type IsComputed<F> = OptionsOf<F> extends { readonly from: readonly string[] } ? true : false;

type Stored<F extends Fields> = {
  [K in keyof F as true extends IsComputed<F[K]> | HasOption<F[K], 'virtual'> ? never : K]: true;
};
type Sortable<F extends Fields> = string extends keyof F
  ? Record<string, true>
  : { [K in keyof F as true extends HasOption<F[K], 'sortable'> ? K : never]: true };

export type OwnStoredNames<F extends Fields> = keyof Stored<F>;
/** The fields that rules may use: the declared ones, and those of every row. */
export type StoredNames<F extends Fields, M> = keyof (Stored<F> & Implicit<M>);
/** A sortable field, or `-` and its name. */
export type Order<F extends Fields, M> = keyof {
  [K in keyof (Sortable<F> & Implicit<M>) & string as K | `-${K}`]: true;
};

/** Reports a computed field whose source does not exist. */
export type CheckedSources<F extends Fields, M> = {
  readonly [K in keyof F]: OptionsOf<F[K]> extends { readonly from: readonly (infer S)[] }
    ? S extends StoredNames<F, M>
      ? unknown
      : { readonly from: readonly StoredNames<F, M>[] }
    : unknown;
};
