import type { AggregateQuery } from './aggregate.ts';
import { type Change, live, type SubscribeOptions, subscribe } from './changes.ts';
import { type GatehouseError, problemOf } from './errors.ts';
import { type ListQuery, queryStringOf } from './list-query.ts';
import type { Options, Page, Pagination, Send } from './page.ts';
import type { CallResponse, Method } from './transport.ts';

export type { Options, Page, Pagination, Send } from './page.ts';

export interface Tagged<Row> {
  data: Row;
  /** Send it back as `ifMatch` to avoid overwriting a concurrent change. */
  etag: string | undefined;
}

export interface WriteOptions extends Options {
  /** Write only if the row still has this ETag. Otherwise the call fails with `precondition_failed` (412). */
  ifMatch?: string | undefined;
}

export interface RestoreOptions extends WriteOptions {
  /** The body: `users.delete('me', { body: { current_password } })`. */
  body?: object;
}

export interface DeleteOptions extends RestoreOptions {
  /** Deletes a deleted row for good, of a resource with `softDelete`. */
  forGood?: boolean;
}

export interface ActOptions extends Options {
  /** The method of the declared action. The default is POST. */
  method?: Method;
}

export interface CreateOptions extends Options {
  /** The service returns the first response to a repeated POST with the same key. The default is a random key. */
  idempotencyKey?: string;
}

/** A row of a batch of changes: its id, its expected version (`if_match`, an ETag), and the changed fields. */
export type RowPatch = { id: string; if_match?: string } & Record<string, unknown>;

/** The result for one row of a batch: the row, or the error. */
export interface Result<Row> {
  status: number;
  data?: Row;
  etag?: string;
  error?: GatehouseError;
}

interface ListBody<Item> {
  data: Item[];
  meta: { pagination: Pagination; changes_position?: string };
}

interface BatchItem<Row> extends Omit<Result<Row>, 'error'> {
  error?: Record<string, unknown>;
  retry_after?: number;
}

type SingleQuery = Pick<ListQuery, 'filter' | 'include' | 'deleted'>;

/** The calls of one resource, or of one resource's children (`/v1/owners/7/cars`). */
export class Resource<Row> {
  readonly path: string;
  readonly #send: Send;

  constructor(send: Send, path: string) {
    this.#send = send;
    this.path = path;
  }

  list(query: ListQuery = {}, options: Options = {}): Promise<Page<Row>> {
    return this.#list<Row>(query, options);
  }

  /** Aggregates of the rows instead of the rows: `cars.aggregate({ aggregate: ['count'], groupBy: ['kind'] })`. */
  aggregate<Row>(query: AggregateQuery, options: Options = {}): Promise<Page<Row>> {
    return this.#list<Row>(query, options);
  }

  /** All matching rows, one after the other. Each page costs the same. */
  async *each(query: Omit<ListQuery, 'page' | 'cursor'> = {}, options: Options = {}): AsyncGenerator<Row, void> {
    let cursor: string | null | undefined = '';
    while (cursor !== undefined && cursor !== null) {
      const page: Page<Row> = await this.list({ limit: 100, ...query, cursor }, options);
      yield* page.data;
      cursor = page.pagination.next_cursor;
    }
  }

  /** Changes of the rows, as they happen: `for await (const change of cars.subscribe({ search: { kind: 'van' } }))`. */
  subscribe(options: SubscribeOptions = {}): AsyncGenerator<Change<Row>, void> {
    return subscribe<Row>(this.#send, decodeURIComponent(this.path.slice('/v1/'.length)), options);
  }

  /** The rows of a list, and again after each change. */
  live(query: ListQuery = {}, options: Options = {}): AsyncGenerator<readonly Row[], void> {
    const list = (of: ListQuery, how: Options) => this.list(of, how);
    return live(list, (how) => this.subscribe(how), query, options);
  }

  async get(id: string, query: SingleQuery = {}, { signal }: Options = {}): Promise<Tagged<Row>> {
    const path = this.#one(id) + queryStringOf(query);
    return withEtag(await this.#send({ method: 'GET', path, signal, repeatable: true }));
  }

  async create(
    row: object,
    { idempotencyKey = crypto.randomUUID(), signal }: CreateOptions = {},
  ): Promise<Tagged<Row>> {
    const headers = { 'Idempotency-Key': idempotencyKey };
    return withEtag(
      await this.#send({ method: 'POST', path: this.path, body: row, headers, signal, repeatable: true }),
    );
  }

  /** PUT: replaces the whole row. Omitted fields get their defaults. */
  async replace(id: string, row: object, options: WriteOptions = {}): Promise<Tagged<Row>> {
    return withEtag(await this.#write('PUT', id, row, options));
  }

  /** PATCH: changes only the given fields. */
  async patch(id: string, changes: object, options: WriteOptions = {}): Promise<Tagged<Row>> {
    return withEtag(await this.#write('PATCH', id, changes, options));
  }

  async delete(id: string, { body, forGood, ...options }: DeleteOptions = {}): Promise<void> {
    await this.#write('DELETE', id, body, options, forGood ? queryStringOf({ deleted: 'only' }) : '');
  }

  /** Restores a deleted row, of a resource that keeps deleted rows. */
  async restore(id: string, { body, ifMatch, signal }: RestoreOptions = {}): Promise<Tagged<Row>> {
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const path = `${this.#one(id)}/restorations`;
    const repeatable = ifMatch === undefined;
    return withEtag(await this.#send({ method: 'POST', path, body, headers, signal, repeatable }));
  }

  /** Creates up to 100 rows in one request. Each has its own result. If a row fails, the others are still created. */
  createAll(rows: readonly object[], options: CreateOptions = {}): Promise<Result<Row>[]> {
    return this.#batch('POST', { rows }, { idempotencyKey: crypto.randomUUID(), ...options });
  }

  /** Changes up to 100 rows in one request, as `patch` does. */
  patchAll(rows: readonly RowPatch[], options: CreateOptions = {}): Promise<Result<Row>[]> {
    return this.#batch('PATCH', { rows }, options);
  }

  /** Deletes up to 100 rows in one request. */
  deleteAll(ids: readonly string[], options: CreateOptions = {}): Promise<Result<Row>[]> {
    return this.#batch('DELETE', { ids }, options);
  }

  /** The children of one row: `owners.of(id, 'cars').list()`. They are listed and created here, and changed under their own name. */
  of<Child>(id: string, children: string): Pick<Resource<Child>, 'path' | 'list' | 'each' | 'aggregate' | 'create'> {
    return new Resource<Child>(this.#send, `${this.#one(id)}/${encodeURIComponent(children)}`);
  }

  /**
   * An action on one row: `tokens.act(id, 'values')`. The client never repeats it, because it does not know its
   * effect.
   */
  act<Result>(id: string, action: string, body?: object, options: ActOptions = {}): Promise<Result> {
    return this.#act(`${this.#one(id)}/${encodeURIComponent(action)}`, body, options);
  }

  /** An action on the collection: `POST /v1/<resource>/<action>`. */
  actOnAll<Result>(action: string, body?: object, options: ActOptions = {}): Promise<Result> {
    return this.#act(`${this.path}/${encodeURIComponent(action)}`, body, options);
  }

  async #list<Item>(query: ListQuery, { signal }: Options): Promise<Page<Item>> {
    const path = this.path + queryStringOf(query);
    const { body } = await this.#send<ListBody<Item>>({ method: 'GET', path, signal, repeatable: true });
    return { data: body.data, pagination: body.meta.pagination, position: body.meta.changes_position };
  }

  async #act<Result>(path: string, body: object | undefined, options: ActOptions): Promise<Result> {
    const { method = 'POST', signal } = options;
    const call = { method, path, body: method === 'GET' ? undefined : (body ?? {}), signal };
    const response = await this.#send<{ data: Result } | undefined>(call);
    return response.body?.data as Result;
  }

  async #batch(method: Method, body: object, options: CreateOptions): Promise<Result<Row>[]> {
    const { idempotencyKey, signal } = options;
    const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const repeatable = idempotencyKey !== undefined;
    const call = { method, path: `${this.path}/batches`, body, headers, signal, repeatable };
    const response = await this.#send<{ data: BatchItem<Row>[] }>(call);
    return response.body.data.map(({ error, retry_after: retryAfter, ...result }) => ({
      ...result,
      ...(error ? { error: problemOf(error, { status: result.status, retryAfter, requestId: undefined }) } : {}),
    }));
  }

  #one(id: string): string {
    return `${this.path}/${encodeURIComponent(id)}`;
  }

  #write(method: 'PUT' | 'PATCH' | 'DELETE', id: string, body: object | undefined, options: WriteOptions, query = '') {
    const headers: Record<string, string> = options.ifMatch === undefined ? {} : { 'If-Match': options.ifMatch };
    return this.#send<{ data: Row }>({ method, path: this.#one(id) + query, body, headers, signal: options.signal });
  }
}

function withEtag<Row>({ body, headers }: CallResponse<{ data: Row }>): Tagged<Row> {
  return { data: body.data, etag: headers.get('etag') ?? undefined };
}
