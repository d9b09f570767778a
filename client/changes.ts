import { GatehouseError } from './errors.ts';
import { type ListQuery, queryStringOf } from './list-query.ts';
import type { Options, Page, Send } from './page.ts';
import { pause } from './transport.ts';

/** One change of a row. `left`: the row still exists, but no longer matches the search, or you can no longer see it. */
export interface Change<Row> {
  position: string;
  resource: string;
  id: string;
  operation: 'created' | 'updated' | 'deleted' | 'left';
  version?: number | null;
  before?: Row | null;
  after?: Row | null;
  actor?: { user_id: string | null; client_id: string | null } | null;
  at?: string;
}

interface ChangesBody<Row> {
  data: Change<Row>[];
  meta: { changes_position: string; more: boolean };
}

export interface SubscribeOptions extends Options {
  search?: ListQuery['search'];
  searchJoin?: ListQuery['searchJoin'];
  /** A position: of a list (`page.position`), or of the last change that you processed. The default is now. */
  after?: string | undefined;
}

/**
 * A stream sends data at once, and then every 15 seconds. If it does not, a proxy buffers it, or the connection is
 * broken.
 */
const firstDataMs = 5000;
const silenceMs = 40_000;
const pollMs = 2000;
const pauses = [250, 1000, 2000];
const longestPause = 5000;

const queryOf = (resource: string, { search, searchJoin, after }: SubscribeOptions): string => {
  const query = queryStringOf({ ...(search === undefined ? {} : { search }), ...(searchJoin ? { searchJoin } : {}) });
  const position = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
  return `/v1/changes?resources=${encodeURIComponent(resource)}${position}${query.replace(/^\?/, '&')}`;
};

/** Whether another connection would fail too: the token, the rights or the position are no longer valid. */
const isFinal = (error: unknown): boolean =>
  error instanceof GatehouseError && error.status >= 400 && error.status < 500 && error.status !== 429;

/**
 * The changes of a resource, as long as the caller reads them. Reconnects automatically and misses no change. An
 * error with the code `resync` means that the position is too old: read the list again.
 */
export async function* subscribe<Row>(
  send: Send,
  resource: string,
  options: SubscribeOptions = {},
): AsyncGenerator<Change<Row>, void> {
  const { signal } = options;
  let { after } = options;
  let failures = 0;
  let polls = false;
  while (!signal?.aborted) {
    let failure: unknown;
    try {
      const path = queryOf(resource, { ...options, after });
      if (polls) {
        const { body } = await send<ChangesBody<Row>>({ method: 'GET', path, signal, repeatable: true });
        failures = 0;
        yield* body.data;
        after = body.meta.changes_position;
        if (!body.meta.more) await pause(pollMs, signal);
        continue;
      }
      for await (const event of readStream(send, path, signal)) {
        failures = 0;
        if (event.kind === 'held back') {
          polls = true;
          // A page begins with the oldest change; a stream begins now.
          after ??= (await newest(send, resource, signal)) ?? undefined;
          break;
        }
        if (event.id !== undefined) after = event.id;
        if (event.data !== undefined) yield JSON.parse(event.data);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
      failure = error;
    }
    await pauseAfter(failures++, failure, signal);
  }
}

/** Waits before the next attempt, at least as long as the service requested. Returns early if the caller aborts. */
function pauseAfter(failures: number, error: unknown, signal: AbortSignal | undefined): Promise<void> {
  const requested = error instanceof GatehouseError ? (error.retryAfter ?? 0) * 1000 : 0;
  return pause(Math.max(pauses[failures] ?? longestPause, requested), signal).catch(() => undefined);
}

async function newest(send: Send, resource: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const path = `/v1/${encodeURIComponent(resource)}?limit=1&count=none`;
  const { body } = await send<{ meta: { changes_position?: string } }>({
    method: 'GET',
    path,
    signal,
    repeatable: true,
  });
  return body.meta.changes_position;
}

interface StreamEvent {
  readonly kind: 'event' | 'held back';
  readonly id?: string | undefined;
  readonly data?: string | undefined;
}

/** The events of one connection. It ends with the connection. */
async function* readStream(
  send: Send,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, void> {
  const stop = new AbortController();
  const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  try {
    const opening = send<ReadableStream<Uint8Array>>({ method: 'GET', path, signal: both, stream: true });
    opening.catch(() => undefined);
    const response = await within(opening, firstDataMs);
    if (response === undefined) return yield { kind: 'held back' };
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let silence = firstDataMs; ; silence = silenceMs) {
      const chunk = await within(reader.read(), silence);
      if (chunk === undefined) {
        if (silence === firstDataMs) yield { kind: 'held back' };
        return;
      }
      if (chunk.done) return;
      text += decoder.decode(chunk.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = readBlock(block);
        if (event === 'end') return;
        yield event;
      }
    }
  } finally {
    stop.abort();
  }
}

function readBlock(block: string): StreamEvent | 'end' {
  let id: string | undefined;
  let data: string | undefined;
  for (const line of block.split('\n')) {
    if (line === 'event: end') return 'end';
    if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data = line.slice(6);
  }
  return { kind: 'event', id, data };
}

function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Yields the rows of a list, and again after each change. It reads the list again if a change may move rows between
 * pages, or if the new position of the row is unknown.
 */
export async function* live<Row>(
  list: (query: ListQuery, options: Options) => Promise<Page<Row>>,
  changes: (options: SubscribeOptions) => AsyncGenerator<Change<Row>, void>,
  query: ListQuery,
  { signal }: Options,
): AsyncGenerator<readonly Row[], void> {
  const { search, searchJoin, ...rest } = query;
  const isPlain = Object.values(rest).every((value) => value === undefined);
  let failures = 0;
  while (!signal?.aborted) {
    try {
      let page = await list(query, { signal });
      failures = 0;
      yield page.data;
      for await (const change of changes({ search, searchJoin, after: page.position, signal })) {
        // The list was read again after this change.
        if (page.position !== undefined && change.position <= page.position) continue;
        const data = isPlain ? applyChange(page, change) : undefined;
        page = data ? { ...page, data } : await list(query, { signal });
        yield page.data;
      }
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      if (error.code === 'resync') continue;
      if (isFinal(error)) throw error;
      await pauseAfter(failures++, error, signal);
    }
  }
}

const isRow = (row: unknown, id: string): boolean =>
  typeof row === 'object' && row !== null && 'id' in row && row.id === id;

/** Applies a change to the rows. Undefined if the list must be read again. */
function applyChange<Row>({ data, pagination }: Page<Row>, { id, operation, after }: Change<Row>): Row[] | undefined {
  const isGone = operation === 'deleted' || operation === 'left';
  const isHere = data.some((row) => isRow(row, id));
  if (isHere && after && !isGone) return data.map((row) => (isRow(row, id) ? { ...row, ...after } : row));
  const isWhole = pagination.total === pagination.count && !pagination.total_capped;
  return isGone && isWhole ? data.filter((row) => !isRow(row, id)) : undefined;
}
