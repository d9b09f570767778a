import type {
  AggregateFunction,
  AggregateQuery,
  AggregateQueryOf,
  AggregateRow,
} from 'gatehouse-server/client/aggregate';
import type { ListQuery } from 'gatehouse-server/client/list-query';
import type { Pagination } from 'gatehouse-server/client/page';
import type { IncludePath, ListQueryOf, SearchIn, Selected, SelectionOf } from 'gatehouse-server/client/typed-resource';
import type { OperatorTx } from '../../database/database.ts';

declare global {
  /** The declared resources. `gatehouse types` fills it in. */
  interface GatehouseResources {}
}

/** The names are known to the compiler once `gatehouse types` has written them. */
export type ResourceName = [keyof GatehouseResources] extends [never] ? string : keyof GatehouseResources & string;

/** The rights of a call: those of the request's caller, or those of the service. */
export type CallRights = 'caller' | 'service';

// biome-ignore lint/suspicious/noExplicitAny: without the generated types of a project, the fields of a row are unknown.
type AnyRow = Record<string, any> & { id: string };

type Row<N> = N extends keyof GatehouseResources ? Part<N, 'row'> : AnyRow;
type Part<N extends keyof GatehouseResources, P extends string> = GatehouseResources[N] extends {
  readonly [K in P]: infer T;
}
  ? T
  : never;
type Created<N> = N extends keyof GatehouseResources ? Part<N, 'row'> & Part<N, 'created'> : AnyRow;
type Sent<N, A> = N extends keyof GatehouseResources
  ? Part<N, 'input'> & (A extends 'service' ? Part<N, 'service'> : unknown)
  : Record<string, unknown>;
type FieldName<N> = keyof Row<N> & string;
type Path<N> = N extends keyof GatehouseResources ? IncludePath<GatehouseResources, N> : string;
type Chosen<N, F, I> = N extends keyof GatehouseResources ? Selected<GatehouseResources, N, F, I> : AnyRow;
type RowQuery<N, F, I> = N extends keyof GatehouseResources
  ? SelectionOf<GatehouseResources[N], F, I>
  : Pick<ListQuery, 'filter' | 'include' | 'deleted'>;
type RowsQuery<N, F, I> = N extends keyof GatehouseResources ? ListQueryOf<GatehouseResources, N, F, I> : ListQuery;
type AggregateFunctionOf<N> = N extends keyof GatehouseResources ? AggregateFunction<GatehouseResources[N]> : string;
type GroupOf<N> = N extends keyof GatehouseResources ? GatehouseResources[N]['aggregates']['group'] : string;
type FiguresFrom<N, A, G> = N extends keyof GatehouseResources
  ? AggregateQueryOf<
      GatehouseResources[N],
      SearchIn<GatehouseResources, N>,
      A & AggregateFunction<GatehouseResources[N]>,
      G & GatehouseResources[N]['aggregates']['group']
    >
  : AggregateQuery;
type AggregateRowOf<N, A, G> = N extends keyof GatehouseResources ? AggregateRow<GatehouseResources[N], A, G> : AnyRow;
type KeepsDeleted<N> = N extends keyof GatehouseResources ? Part<N, 'softDelete'> : true;

interface Page<Row> {
  data: Row[];
  pagination: Omit<Pagination, 'links'>;
}

interface Conditional {
  /** An ETag. The call throws 412 if the row has changed since. */
  readonly ifMatch?: string | undefined;
}

interface Removal<N> extends Conditional {
  /** Permanently deletes a soft-deleted row of a resource with `softDelete`. */
  readonly forGood?: KeepsDeleted<N> extends true ? boolean : never;
}

/** The methods of one resource. They behave like the API: they validate, run hooks, and record events and changes. */
export interface ResourceCalls<N = string, A = CallRights> {
  /** Like `GET /v1/<resource>/<id>`. Throws 404 if the row does not exist or is not visible to this caller. */
  find<F extends FieldName<N> = FieldName<N>, I extends Path<N> = never>(
    id: string,
    query?: RowQuery<N, F, I>,
  ): Promise<Chosen<N, F, I>>;
  /** Like `GET /v1/<resource>`, with the same parameters. `limit` is 20 by default and at most 100. */
  list<F extends FieldName<N> = FieldName<N>, I extends Path<N> = never>(
    query?: RowsQuery<N, F, I>,
  ): Promise<Page<Chosen<N, F, I>>>;
  /** Like `GET /v1/<resource>?aggregate=…`: returns aggregates of the rows instead of the rows. */
  aggregate<X extends AggregateFunctionOf<N>, G extends GroupOf<N> = never>(
    query: FiguresFrom<N, X, G>,
  ): Promise<Page<AggregateRowOf<N, X, G>>>;
  /** Like POST. Returns the new row. */
  create(values: Sent<N, A>): Promise<Created<N>>;
  /** Like PATCH: changes the fields in `values`. Returns the row. */
  update(id: string, values: Partial<Sent<N, A>>, options?: Conditional): Promise<Row<N>>;
  /** Like DELETE. */
  delete(id: string, options?: Removal<N>): Promise<void>;
  /** Like `POST /v1/<resource>/<id>/restorations`: restores a deleted row and returns it. */
  restore: KeepsDeleted<N> extends true ? (id: string, options?: Conditional) => Promise<Row<N>> : never;
}

/** `resource('invoices', { as: 'caller' })` returns the methods of a resource, with the rights of the caller or of the service. */
export type ResourceOf = <N extends ResourceName, A extends CallRights>(
  name: N,
  options: {
    /** Required: `caller` has the rights of the request's caller, `service` has all rights. */
    readonly as: A;
    /** The transaction of the calls. Hooks inside a transaction need not pass it. */
    readonly tx?: OperatorTx | undefined;
  },
) => ResourceCalls<N, A>;

/** The same for jobs, migrations and seeds, which have no caller and act as the service. */
export type ServiceResourceOf = <N extends ResourceName>(
  name: N,
  options?: { readonly as?: 'service'; readonly tx?: OperatorTx | undefined },
) => ResourceCalls<N, 'service'>;
