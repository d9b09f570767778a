import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Static, TObject, TSchema, TUnknown } from 'typebox';
import type { OperatorDb, OperatorTx } from '../../src/database/database.ts';
import type { Protection } from '../../src/http/app.ts';
import type { Caller } from '../../src/platform/caller.ts';
import type { Enqueuing } from '../../src/resources/declaration/enqueuing.ts';
import type { ResourceName, ResourceOf } from '../../src/resources/declaration/resource-calls.ts';
import type { RouteAccess } from '../../src/resources/model/row-rules.ts';

export interface RouteCall<Params = unknown, Query = unknown, Body = unknown> extends Enqueuing {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The row that the id in the path names, with all its fields. Only where the route names a `resource`. */
  // biome-ignore lint/suspicious/noExplicitAny: the fields are those of the resource.
  readonly row: Record<string, any> & { readonly id: string };
  /** The service's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly log: Logger;
  /** Reads and writes resources as the API does: `resource('visits', { as: 'caller' }).update(id, { … })`. */
  readonly resource: ResourceOf;
  /** For reading. A write outside of `transaction` is not protected against a concurrent revocation. */
  readonly db: OperatorDb;
  /**
   * Runs a write in a transaction. The caller's session, roles and scopes are locked until the commit. `work` may run again after a
   * deadlock.
   */
  transaction<T>(work: (tx: OperatorTx, caller: Caller) => Promise<T>): Promise<T>;
  /**
   * Adds an event to the audit trail. Inside a transaction, the event is stored if the transaction commits. `data` must not contain a
   * secret.
   */
  recordEvent(type: string, data?: Readonly<Record<string, unknown>>, tx?: OperatorTx): Promise<void>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An endpoint of the operator. It is validated, authorized, rate-limited, documented and logged like every other endpoint. */
export interface Route<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> {
  readonly method: Method;
  /** A path such as `/v1/reports/:id`. Under `/v1`, names are lowercase, and a path has at most a resource, its id and one more name. */
  readonly path: string;
  readonly auth: Protection;
  /** The scope that the caller's token must have. A scope that no resource has becomes a new scope of the service. */
  readonly scope?: string;
  /**
   * The resource that the route is about. The id in the path (`:id`, or the only parameter) names one of its rows. The caller must be
   * allowed to see the row, and `access` applies to it. `false`: the route is below a resource's path, but is about no row.
   */
  readonly resource?: ResourceName | false;
  /**
   * The callers that may use the route, in addition to the scope. A rule such as `allOf(role('admin'), stepUp({ acr: 2, maxAge: '5m' }))`.
   * With `resource`, it can also be a rule about the row, such as `owner('user_id')`, or a rule of the resource: `read`, `write`, `create`,
   * `update`, `delete`. The default with `resource` is `read` for GET, `delete` for DELETE, and `write` for others.
   */
  readonly access?: RouteAccess;
  /** For the API reference. */
  readonly summary?: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The schema of the response. Members that are not in the schema are removed. */
  readonly response?: R;
  /** The status of a response with a body. The default is 200. An undefined result is 204. */
  readonly status?: number;
  handle(call: RouteCall<Static<P>, Static<Q>, Static<B>>): Promise<unknown> | unknown;
}

/** A page of the operator: a view of `VIEWS_DIR`, filled with the result of `load`. */
export interface Page {
  readonly path: string;
  readonly auth: 'public' | 'auth:web';
  /** The name of the view, without its extension. */
  readonly view: string;
  load?(call: RouteCall): Promise<Readonly<Record<string, unknown>>> | Readonly<Record<string, unknown>>;
}

export type DeclaredRoute =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'page'; readonly page: Page };

export function defineRoute<
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TUnknown,
  R extends TSchema = TUnknown,
>(route: Route<P, Q, B, R>): DeclaredRoute {
  return { kind: 'route', route };
}

export function definePage(page: Page): DeclaredRoute {
  return { kind: 'page', page };
}
