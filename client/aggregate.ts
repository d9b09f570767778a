import type { ListQuery } from './list-query.ts';
import type { ResourceTypes } from './resource-types.ts';

/** The aggregates of a list, and the fields to group them by. */
export interface AggregateQuery
  extends Pick<ListQuery, 'search' | 'searchJoin' | 'sortedBy' | 'page' | 'limit' | 'deleted'> {
  /** `count`, or a function and a field: `['count', 'sum:seats']`. */
  aggregate: readonly string[];
  /** Fields: one entry for each combination of their values. */
  groupBy?: readonly string[];
  /** Names of `aggregate` and `groupBy`. */
  orderBy?: string | readonly string[];
}

/** The aggregates of a resource: `count`, `sum:seats`, `max:built`. */
export type AggregateFunction<T extends ResourceTypes> =
  | 'count'
  | `${'sum' | 'avg'}:${T['aggregates']['sum']}`
  | `${'min' | 'max'}:${T['aggregates']['range']}`;

type Groups<T extends ResourceTypes> = T['aggregates']['group'];
type FunctionOf<A> = A extends `${infer Name}:${string}` ? Name : never;
type FieldOf<A, Name extends string> = A extends `${Name}:${infer Field}` ? Field : never;
type ValueOf<T extends ResourceTypes, K> = K extends keyof T['row'] ? NonNullable<T['row'][K]> | null : never;

/** One group: its values of the grouped fields, and the requested aggregates. */
export type AggregateRow<T extends ResourceTypes, A, G> = Pick<T['row'], G & keyof T['row']> &
  ('count' extends A ? { count: number } : unknown) & {
    [Name in FunctionOf<A>]: { [K in FieldOf<A, Name>]: ValueOf<T, K> };
  };

/** The same, with the names from the declaration. */
export interface AggregateQueryOf<T extends ResourceTypes, Search, A extends AggregateFunction<T>, G extends Groups<T>>
  extends Omit<AggregateQuery, 'aggregate' | 'groupBy' | 'orderBy' | 'search'> {
  search?: Search | string;
  aggregate: readonly A[];
  groupBy?: readonly G[];
  orderBy?: NoInfer<A | G> | readonly NoInfer<A | G>[];
}
