import type { AggregateFunction, AggregateQueryOf, AggregateRow } from './aggregate.ts';
import type { Change, SubscribeOptions } from './changes.ts';
import type { Comparison, ListQuery, Scalar } from './list-query.ts';
import type {
  CreateOptions,
  DeleteOptions,
  Options,
  Page,
  RestoreOptions,
  Result,
  Tagged,
  WriteOptions,
} from './resource.ts';
import type { ResourceTypes } from './resource-types.ts';

/** The resources of one service, by name. */
export type DeclaredResources<R> = { [N in keyof R]: ResourceTypes };

type Flat<T> = { [K in keyof T]: T[K] };
type RowOf<R extends DeclaredResources<R>, N extends keyof R> = R[N]['row'];
type RelationsOf<R extends DeclaredResources<R>, N extends keyof R> = R[N]['relations'];
type RelationNames<R extends DeclaredResources<R>, N extends keyof R> = keyof RelationsOf<R, N> & string;

/** The resource that a relation leads to. */
type Target<R extends DeclaredResources<R>, N extends keyof R, A> = A extends keyof RelationsOf<R, N>
  ? Extract<RelationsOf<R, N>[A]['resource'], keyof R>
  : never;

/** `owner`, `owner.cars`: two levels deep at most. */
export type IncludePath<R extends DeclaredResources<R>, N extends keyof R> = {
  [A in RelationNames<R, N>]: A | `${A}.${RelationNames<R, Target<R, N, A>>}`;
}[RelationNames<R, N>];

/** `owner.name`, `owner.company.name`: searchable fields of related rows. */
type SearchPath<R extends DeclaredResources<R>, N extends keyof R> = {
  [A in RelationNames<R, N>]: `${A}.${R[Target<R, N, A>]['search'] | SecondPath<R, Target<R, N, A>, 'search'>}`;
}[RelationNames<R, N>];
type SecondPath<R extends DeclaredResources<R>, N extends keyof R, Of extends 'search' | 'order'> = {
  [A in Of extends 'order' ? OneNames<R, N> : RelationNames<R, N>]: `${A}.${R[Target<R, N, A>][Of]}`;
}[Of extends 'order' ? OneNames<R, N> : RelationNames<R, N>];

/** The relations that orderBy can use: those to one row. */
type OrderPath<R extends DeclaredResources<R>, N extends keyof R> = {
  [A in OneNames<R, N>]: `${A}.${R[Target<R, N, A>]['order'] | SecondPath<R, Target<R, N, A>, 'order'>}`;
}[OneNames<R, N>];

type First<I> = I extends `${infer A}.${string}` ? A : I;
type Below<I, A extends string> = I extends `${A}.${infer B}` ? B : never;

type Embedded<R extends DeclaredResources<R>, N extends keyof R, I> = {
  [A in First<I> & RelationNames<R, N>]: RelationsOf<R, N>[A]['many'] extends true
    ? {
        data: Selected<R, Target<R, N, A>, keyof RowOf<R, Target<R, N, A>>, Below<I, A>>[];
        meta?: { more: true; all: string };
      }
    : { data: Selected<R, Target<R, N, A>, keyof RowOf<R, Target<R, N, A>>, Below<I, A>> | null };
};

/** A row with only the fields F, and with the relations I. A relation replaces a field with the same name. */
export type Selected<R extends DeclaredResources<R>, N extends keyof R, F, I> = Flat<
  Omit<Pick<RowOf<R, N>, F & keyof RowOf<R, N>>, First<I> & string> & Embedded<R, N, I>
>;

type Item<T> = T extends readonly (infer E)[] ? E : T;
/** Times are strings in JSON. A Date is accepted too. */
type Value<T> = string extends T ? T | Date : T;
type Wanted<T> = Value<Item<NonNullable<T>>> | null;

/** The conditions of a search: searchable fields with values of their types, and fields of related rows. */
export type SearchIn<R extends DeclaredResources<R>, N extends keyof R> = SearchOf<R[N]> & {
  [K in SearchPath<R, N>]?: Scalar | readonly Scalar[] | Comparison;
};

/** The conditions on the resource's own fields. */
export type SearchOf<T extends ResourceTypes> = {
  [K in T['search']]?: K extends keyof T['row']
    ? Wanted<T['row'][K]> | readonly Wanted<T['row'][K]>[] | Comparison
    : Scalar | readonly Scalar[] | Comparison;
};

export interface SelectionOf<T extends ResourceTypes, F, I> {
  filter?: readonly F[];
  include?: readonly I[];
  deleted?: T['softDelete'] extends true ? 'only' | 'with' : never;
}

type OrderOf<R extends DeclaredResources<R>, N extends keyof R> = R[N]['order'] | OrderPath<R, N>;

export interface ListQueryOf<R extends DeclaredResources<R>, N extends keyof R, F, I>
  extends Omit<ListQuery, 'search' | 'orderBy' | 'filter' | 'include' | 'deleted'>,
    SelectionOf<R[N], F, I> {
  search?: SearchIn<R, N> | string;
  orderBy?: OrderOf<R, N> | readonly OrderOf<R, N>[];
}

type FieldsOf<R extends DeclaredResources<R>, N extends keyof R> = keyof RowOf<R, N> & string;
type ManyNames<R extends DeclaredResources<R>, N extends keyof R> = {
  [A in RelationNames<R, N>]: RelationsOf<R, N>[A]['many'] extends true ? A : never;
}[RelationNames<R, N>];
type OneNames<R extends DeclaredResources<R>, N extends keyof R> = Exclude<RelationNames<R, N>, ManyNames<R, N>>;

/** The path already contains these fields, so they are optional. */
type Tied<Input, By> = Flat<Omit<Input, By & keyof Input> & Partial<Pick<Input, By & keyof Input>>>;

type ActionsOn<T extends ResourceTypes, On> = Extract<T['actions'], { on: On }>;
type Named<T extends ResourceTypes, On, A> = Extract<ActionsOn<T, On>, { name: A }>;
/** The body, if the action has one, and the method, if it is not POST. A body without required members can be left out. */
type ActArguments<X> = X extends { method: infer M; body: infer B }
  ? M extends 'POST'
    ? [B] extends [undefined]
      ? [body?: undefined, options?: Options]
      : Record<never, never> extends B
        ? [body?: B, options?: Options]
        : [body: B, options?: Options]
    : [body: Record<never, never> extends B ? B | undefined : B, options: Options & { method: M }]
  : never;
type ResultOf<X> = X extends { result: infer Result } ? Result : never;

interface Readable<R extends DeclaredResources<R>, N extends keyof R> {
  readonly path: string;
  list<F extends FieldsOf<R, N> = FieldsOf<R, N>, I extends IncludePath<R, N> = never>(
    query?: ListQueryOf<R, N, F, I>,
    options?: Options,
  ): Promise<Page<Selected<R, N, F, I>>>;
  /** Aggregates of the rows instead of the rows. */
  aggregate<A extends AggregateFunction<R[N]>, G extends R[N]['aggregates']['group'] = never>(
    query: AggregateQueryOf<R[N], SearchIn<R, N>, A, G>,
    options?: Options,
  ): Promise<Page<AggregateRow<R[N], A, G>>>;
  /** All matching rows, one after the other. Each page costs the same. */
  each<F extends FieldsOf<R, N> = FieldsOf<R, N>, I extends IncludePath<R, N> = never>(
    query?: Omit<ListQueryOf<R, N, F, I>, 'page' | 'cursor'>,
    options?: Options,
  ): AsyncGenerator<Selected<R, N, F, I>, void>;
}

type SubscribeOf<T extends ResourceTypes> = Omit<SubscribeOptions, 'search'> & { search?: SearchOf<T> | string };

type Created<R extends DeclaredResources<R>, N extends keyof R> = Tagged<Flat<RowOf<R, N> & R[N]['created']>>;

/** The children of one row: listed and created here, and changed under their own name. */
export interface TypedChildren<R extends DeclaredResources<R>, N extends keyof R, By> extends Readable<R, N> {
  create(row: Tied<R[N]['input'], By>, options?: CreateOptions): Promise<Created<R, N>>;
}

/** The calls of one declared resource: the compiler knows its fields, relations and actions. */
export interface TypedResource<R extends DeclaredResources<R>, N extends keyof R> extends Readable<R, N> {
  /** Changes of the rows, as they happen. */
  subscribe(options?: SubscribeOf<R[N]>): AsyncGenerator<Change<RowOf<R, N>>, void>;
  /** The rows of a list, and again after each change. */
  live<F extends FieldsOf<R, N> = FieldsOf<R, N>, I extends IncludePath<R, N> = never>(
    query?: ListQueryOf<R, N, F, I>,
    options?: Options,
  ): AsyncGenerator<readonly Selected<R, N, F, I>[], void>;
  get<F extends FieldsOf<R, N> = FieldsOf<R, N>, I extends IncludePath<R, N> = never>(
    id: string,
    query?: SelectionOf<R[N], F, I>,
    options?: Options,
  ): Promise<Tagged<Selected<R, N, F, I>>>;
  create(row: R[N]['input'], options?: CreateOptions): Promise<Created<R, N>>;
  /** PUT: replaces the whole row. Omitted fields get their defaults. */
  replace(id: string, row: R[N]['replacement'], options?: WriteOptions): Promise<Tagged<RowOf<R, N>>>;
  /** PATCH: changes only the given fields. */
  patch(id: string, changes: Partial<R[N]['input']>, options?: WriteOptions): Promise<Tagged<RowOf<R, N>>>;
  delete(id: string, options?: DeleteOptions): Promise<void>;
  /** Restores a deleted row. */
  restore: R[N]['softDelete'] extends true
    ? (id: string, options?: RestoreOptions) => Promise<Tagged<RowOf<R, N>>>
    : never;
  /** Creates up to 100 rows in one request, each with its own result. */
  createAll(rows: readonly R[N]['input'][], options?: CreateOptions): Promise<Result<Created<R, N>['data']>[]>;
  /** Changes up to 100 rows in one request, each with its own result. */
  patchAll(
    rows: readonly ({ id: string; if_match?: string } & Partial<R[N]['input']>)[],
    options?: CreateOptions,
  ): Promise<Result<RowOf<R, N>>[]>;
  /** Deletes up to 100 rows in one request, each with its own result. */
  deleteAll(ids: readonly string[], options?: CreateOptions): Promise<Result<never>[]>;
  of<A extends ManyNames<R, N>>(
    id: string,
    children: A,
  ): TypedChildren<R, Target<R, N, A>, RelationsOf<R, N>[A] extends { by: infer By } ? By : never>;
  act<A extends ActionsOn<R[N], 'row'>['name']>(
    id: string,
    action: A,
    ...rest: ActArguments<Named<R[N], 'row', A>>
  ): Promise<ResultOf<Named<R[N], 'row', A>>>;
  /** An action on the collection. */
  actOnAll<A extends ActionsOn<R[N], 'collection'>['name']>(
    action: A,
    ...rest: ActArguments<Named<R[N], 'collection', A>>
  ): Promise<ResultOf<Named<R[N], 'collection', A>>>;
}
