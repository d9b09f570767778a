import type { Static, TSchema } from 'typebox';
import type { Invalidation } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { OperatorDb, OperatorTx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import type { AccessRules, ActionAccess, Condition } from './access.ts';
import type { CheckedSources, Order, OwnStoredNames, StoredNames } from './declared-names.ts';
import type { Enqueuing } from './enqueuing.ts';
import type { Field, Fields } from './fields/field.ts';
import type { InputOf, ShownRow, WholeRow, WriteValues } from './fields/row-types.ts';
import type { Icon } from './icon.ts';
import type { Relations } from './relations.ts';
import type { ResourceOf } from './resource-calls.ts';

export interface Call extends Enqueuing {
  readonly context: Context;
  readonly caller: Caller;
  readonly source: RequestSource;
  readonly now: number;
  /** Reads and writes another resource as the API does: `resource('invoices', { as: 'service' }).create({ … })`. */
  readonly resource: ResourceOf;
}

/** A request inside the transaction of its write. An error undoes the whole transaction. */
export interface WriteCall extends Call {
  readonly tx: OperatorTx;
  /** Notifies every instance of a change before the response is sent. */
  invalidate(invalidation: Invalidation): void;
  /** Adds fields to this one response, such as a secret that is shown once. They are not stored. */
  reveal(fields: Record<string, unknown>): void;
}

export type Operation = 'list' | 'find' | 'create' | 'replace' | 'update' | 'delete';
type WriteOperation = 'create' | 'update' | 'delete';

export interface Hooks<F extends Fields> {
  /** Runs before the transaction, for slow work such as hashing. It may return more values. */
  prepare?(
    call: Call,
    change: { operation: 'create' | 'replace' | 'update'; id: string | undefined; values: WriteValues<F> },
  ): Promise<WriteValues<F> | undefined> | WriteValues<F> | undefined;
  /** The same for DELETE, with its body. Without this hook, DELETE takes no body. */
  prepareDelete?(call: Call, deletion: { id: string; body: Readonly<Record<string, unknown>> }): Promise<void> | void;
  /** Runs inside the transaction. It may change `values` and may throw a Problem. It may run more than once. */
  beforeWrite?(
    call: WriteCall,
    change: { operation: WriteOperation; values: WriteValues<F>; before: WholeRow<F> | undefined },
  ): Promise<void> | void;
  /** Runs inside the transaction, after the row was written. */
  afterWrite?(
    call: WriteCall,
    change: {
      operation: WriteOperation;
      values: WriteValues<F>;
      before: WholeRow<F> | undefined;
      after: WholeRow<F> | undefined;
    },
  ): Promise<void> | void;
  /** Runs after the commit. The response waits for it. A failure is only logged. For work that must happen, use a job (`call.later`). */
  afterCommit?(
    call: Call,
    change: { operation: WriteOperation; before: WholeRow<F> | undefined; after: WholeRow<F> | undefined },
  ): Promise<void> | void;
}

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A hand-written route beside the generated ones: `POST /v1/<resources>/<id>/<name>`. */
export interface Action<F extends Fields = Fields, B extends TSchema = TSchema> {
  readonly name: string;
  readonly method?: (typeof methods)[number];
  /** `row` (default): the action is about one row that the caller may see. `collection`: the action is about the resource. */
  readonly on?: 'row' | 'collection';
  /**
   * The callers that may use the action: by the resource's rule for `read` or `write`, by a separate rule, everybody with a token
   * (`auth:api`), or everybody (`public`). The default is `write`, and `read` for GET. An action on a row applies the rule to that row. An
   * action on the collection has no row, so the rule must be true for every row.
   */
  readonly access?: ActionAccess;
  readonly body?: B;
  readonly summary: string;
  /** The schema of `data` in the response, for the API reference. */
  readonly response?: TSchema;
  /** The status of a response with a body. The default is 200. An undefined result is 204. */
  readonly status?: number;
  run(action: ActionCall<F, Static<B>>): Promise<unknown> | unknown;
}

/** The argument of an action of a collection. */
export interface CollectionCall<B> extends Call {
  /** For reading. To write, use `change` or `transaction`: both lock the rights of the caller. */
  readonly db: Pick<OperatorDb, 'selectFrom' | 'with' | 'fn' | 'getExecutor'>;
  readonly body: B;
  /** Runs work in a transaction that locks the rights of the caller. `work` runs again after a deadlock. */
  transaction<T>(work: (call: WriteCall) => Promise<T>): Promise<T>;
}

/** The argument of an action of a row. */
export interface ActionCall<F extends Fields, B> extends CollectionCall<B> {
  readonly row: WholeRow<F>;
  /** Writes fields of the row (including read-only ones) like a PATCH: with validation, hooks, version and events. Returns the row. */
  change(values: WriteValues<F>): Promise<ShownRow<F>>;
}

export interface Declaration<F extends Fields = Fields> {
  /** A lowercase plural noun. It is used in the path, in the scopes and (by default) as the table name. */
  readonly name: string;
  /** The name of one row, for people. The default is the name without its final s. */
  readonly singular?: string;
  /**
   * The name of the rows, for people, such as "company cars". The console and the consent page ("Read your …") show it. The default is the
   * name.
   */
  readonly label?: string;
  /** The icon in the console: a known name (`car`, `people`, `invoice`, …), or an emoji. */
  readonly icon?: Icon;
  readonly description?: string;
  /** False: a migration of the service creates the table. The resource engine only reads and writes it. */
  readonly managed?: boolean;
  readonly table?: string;
  /** The former name, or names, of the resource. Its existing rows are found under these names. */
  readonly renamedFrom?: string | readonly string[];
  /** For tables that the resource engine does not manage: the format of ids. The default is `uuid`. */
  readonly idType?: 'uuid' | 'text';
  /** For tables that the resource engine does not manage: false if there is no `version` column, which updates need. */
  readonly versioned?: boolean;
  readonly fields: F;
  readonly relations?: Relations;
  /** Combinations of fields that must be unique: `[['car_id', 'driver_id']]`. */
  readonly uniqueTogether?: readonly (readonly string[])[];
  readonly access: AccessRules;
  /** The operations that the API offers. The default is all of them. */
  readonly operations?: readonly Operation[];
  /** Rows that do not meet this condition are hidden from all callers. */
  readonly where?: (now: number) => Condition;
  /** Deleted rows are kept, hidden from all callers, and can be restored. */
  readonly softDelete?: boolean;
  /** The default order of lists: a sortable field, with `-` before it for descending. The default is `id`. */
  readonly defaultOrder?: string;
  /** Resolves another name for an id in paths, such as `me`. Undefined if the name is no alias. */
  alias?(name: string, caller: Caller): string | undefined;
  readonly hooks?: Hooks<F>;
  /** Replaces the insert. Returns the id of the new row. */
  create?(call: WriteCall, values: WriteValues<F>): Promise<string>;
  /** Replaces the update. */
  update?(call: WriteCall, before: WholeRow<F>, values: WriteValues<F>): Promise<void>;
  /** Replaces the delete. */
  remove?(call: WriteCall, before: WholeRow<F>): Promise<void>;
  readonly actions?: readonly Action[];
  /** The schema of the body of DELETE, for the API reference. `hooks.prepareDelete` reads the body. */
  readonly deleteBody?: TSchema;
  /** The schema of the additional members that only the response of POST shows (`call.reveal`), for the API reference. */
  readonly reveals?: TSchema;
  /** Records `<resource>.created|updated|deleted` in the audit trail. */
  readonly events?: boolean;
  /**
   * Records every write of a row, for `/v1/changes` and webhooks. A list names the fields that changes show. `true` shows all fields of the
   * API.
   */
  readonly changes?: boolean | readonly string[];
  /** False: AI applications cannot use the resource at `/mcp`. */
  readonly mcp?: boolean;
}

type Timestamps = {
  readonly created_at: Field<string, { readonly required: true; readonly readOnly: true }>;
  readonly updated_at: Field<string, { readonly required: true; readonly readOnly: true }>;
};
type Deletion<S> = S extends true ? { readonly deleted_at: Field<string, { readonly readOnly: true }> } : unknown;
type AllFields<F extends Fields, M, S> = (M extends false ? F : F & Timestamps) & Deletion<S>;

/** A declaration with the type of its rows: `RowOf<typeof cars>`. */
export interface ResourceDefinition<F extends Fields = Fields> extends Declaration<F> {
  readonly managed: boolean;
  /** For a built-in table: only rows with a value in this column are recorded as changes. */
  readonly recordedWith?: string;
  /** False: the resource has no routes. Only the change feed publishes its rows. */
  readonly served?: false;
  readonly file?: string;
}

export type RowOf<D> = D extends ResourceDefinition<infer F> ? ShownRow<F> : never;
export type InputFor<D> = D extends ResourceDefinition<infer F> ? InputOf<F> : never;

type BodyOf<B> = B extends TSchema ? Static<B> : unknown;

export interface DeclaredAction<B, Name, R> extends Omit<Action, 'on' | 'access' | 'body' | 'run'> {
  readonly access?: ActionAccess<Name, R>;
  readonly body?: B;
}
/** An action inside a declaration. `run` gets the types of the fields and of the declared body. */
export interface RowAction<F extends Fields, B, Name, R> extends DeclaredAction<B, Name, R> {
  readonly on?: 'row';
  run(action: ActionCall<F, BodyOf<B>>): Promise<unknown> | unknown;
}
export interface CollectionAction<B, Name, R> extends DeclaredAction<B, Name, R> {
  readonly on: 'collection';
  run(action: CollectionCall<BodyOf<B>>): Promise<unknown> | unknown;
}

/** The names of the relations. Without relations, a name that no relation can have. */
type NamesOf<R> = [keyof R] extends [never] ? '' : keyof R;

type Typed =
  | 'softDelete'
  | 'fields'
  | 'relations'
  | 'uniqueTogether'
  | 'access'
  | 'where'
  | 'defaultOrder'
  | 'changes'
  | 'actions';

/** A declaration as the operator writes it. It may only use names of fields and relations that it declares. */
export type Written<F extends Fields, R extends Relations, M, A, S> = Omit<
  Declaration<AllFields<F, M, S>>,
  Typed | 'managed'
> & {
  readonly managed?: M;
  readonly softDelete?: S;
  readonly fields: F & CheckedSources<F, M>;
  readonly relations?: R & Relations<NoInfer<OwnStoredNames<F>>>;
  readonly uniqueTogether?: readonly (readonly NoInfer<OwnStoredNames<F>>[])[];
  readonly access: AccessRules<NoInfer<StoredNames<F, M>>, NoInfer<NamesOf<R>>>;
  readonly where?: (now: number) => Condition<NoInfer<StoredNames<F, M>>, NoInfer<NamesOf<R>>>;
  readonly defaultOrder?: NoInfer<Order<F, M>>;
  readonly changes?: boolean | readonly NoInfer<'id' | keyof AllFields<F, M, S>>[];
  readonly actions?: {
    readonly [K in keyof A]:
      | RowAction<AllFields<F, M, S>, A[K], NoInfer<StoredNames<F, M>>, NoInfer<NamesOf<R>>>
      | CollectionAction<A[K], NoInfer<StoredNames<F, M>>, NoInfer<NamesOf<R>>>;
  };
};

/** Dashes are for paths only, because names with dashes must be quoted in SQL. */
export const tableOfDashedName = (name: string): string => name.replaceAll('-', '_');

/** Declares a resource. Its routes, validation, storage, scopes and descriptions are derived from the declaration. */
export function defineResource<
  const F extends Fields,
  const R extends Relations = Record<never, never>,
  const M extends boolean = true,
  A extends readonly unknown[] | [] = [],
  const S extends boolean = false,
>(declaration: Written<F, R, M, A, S>): ResourceDefinition<AllFields<F, M, S>> {
  const { name, table, managed = true } = declaration ?? {};
  const dashed = table === undefined && typeof name === 'string' && name.includes('-');
  const inDatabase = dashed ? { table: tableOfDashedName(name) } : {};
  return { ...declaration, ...inDatabase, managed } as unknown as ResourceDefinition<AllFields<F, M, S>>;
}

/**
 * Gives an action outside of a declaration the type of its body. Inside `actions: [{ name, summary, run }]` it is not needed: there, the
 * row has its type too.
 */
export const action = <B extends TSchema = TSchema, F extends Fields = Fields>(declared: Action<F, B>): Action =>
  declared;
