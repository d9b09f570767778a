import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { live, subscribe } from './changes.ts';
import { GatehouseError, UnreachableError } from './errors.ts';
import type { Page } from './page.ts';
import { createTransport } from './transport.ts';

/** Replaces the clock. `pass` moves it, and returns when all work is done that can be done without more time. */
function stoppedClock({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const settle = async () => {
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  };
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await settle();
  };
  return { settle, pass };
}

/** A service behind a proxy that delays streams. Each poll gets the next of these results. */
function polledService(results: readonly (Response | Error)[]) {
  const queue = [...results];
  const polls: string[] = [];
  const { send } = createTransport({
    baseUrl: '',
    retryDelays: [],
    async fetch(url, { headers, signal }) {
      if (new Headers(headers).get('accept') === 'text/event-stream') {
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      }
      if (!url.startsWith('/v1/changes')) return Response.json({ meta: { changes_position: '0' } });
      polls.push(url);
      const result = queue.shift() ?? new TypeError('cut');
      if (result instanceof Error) throw result;
      return result;
    },
  });
  return { send, polls };
}

test('a subscriber that polls waits after each error, as long as the service requests', async (t) => {
  const { settle, pass } = stoppedClock(t);
  const change = { position: '1', resource: 'cars', id: 'a', operation: 'created' };
  const cut = new TypeError('cut');
  const unavailable = Response.json({ title: 'Busy' }, { status: 503, headers: { 'retry-after': '30' } });
  const page = Response.json({ data: [change], meta: { changes_position: '1', more: false } });
  const { send, polls } = polledService([cut, cut, unavailable, page]);
  const stop = new AbortController();
  const changes = subscribe(send, 'cars', { signal: stop.signal });
  const first = changes.next();
  await settle();
  // The stream is silent for 5 seconds.
  await pass(5000);
  const counts: number[] = [];
  for (const ms of [250, 1000, 2000, 29_000, 1000]) {
    await pass(ms);
    counts.push(polls.length);
  }
  assert.deepEqual(counts, [1, 2, 3, 3, 4]);
  assert.equal((await first).value?.id, 'a');
  stop.abort();
  assert.equal((await changes.next()).done, true);
});

test('a live list reads again after a failed read, and ends at an error that stays', async (t) => {
  const { settle, pass } = stoppedClock(t);
  const pagination = { count: 1, per_page: 20 };
  const forbidden = new GatehouseError('no', { status: 403, code: 'forbidden' });
  const reads: (Page<string> | Error)[] = [
    { data: ['first'], pagination, position: '1' },
    new UnreachableError('cut', { status: 0, code: 'unreachable' }),
    { data: ['second'], pagination, position: '2' },
    forbidden,
  ];
  const list = async () => {
    const read = reads.shift();
    if (!read || read instanceof Error) throw read;
    return read;
  };
  async function* changes() {
    yield { position: '3', resource: 'cars', id: 'a', operation: 'updated' as const };
  }
  const rows = live(list, changes, {}, {});
  assert.deepEqual((await rows.next()).value, ['first']);
  const second = rows.next();
  await settle();
  await pass(250);
  assert.deepEqual((await second).value, ['second']);
  await assert.rejects(rows.next(), forbidden);
});
