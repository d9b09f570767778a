import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGatehouse } from '../../extensions/embedding/library.ts';
import { gatehouse, serverProcesses } from '../harness/command.ts';
import { connections } from '../harness/connections.ts';
import { databases } from '../harness/engines.ts';

describe('Workers of one service', () => {
  const create = databases('sqlite');
  const serve = serverProcesses();
  const open = connections();

  it('count requests together', async () => {
    const { dir } = await create();
    const { url } = await serve(dir, { WORKERS: '2', RATE_LIMIT: '20' });
    const asks = open(url, 10);
    const remaining: number[] = [];
    for (let n = 0; n < 30; n++) {
      const { status, headers } = await (asks[n % asks.length] as (typeof asks)[0])('/v1/users');
      remaining.push(status === 429 ? -1 : Number(headers.get('ratelimit-remaining')));
    }
    // If a minute of the clock ends meanwhile, counting starts again.
    let expected = 20;
    for (const [n, found] of remaining.entries()) {
      expected = found === 19 ? 19 : Math.max(-1, expected - 1);
      assert.equal(found, expected, `request ${n} of ${remaining}`);
    }
  });

  it('count concurrent requests together', async () => {
    const { dir } = await create();
    const { url } = await serve(dir, { WORKERS: '3', RATE_LIMIT: '50' });
    const asks = open(url, 300);
    // All are connected first, so that the requests arrive at the same time.
    await Promise.all(asks.map((request) => request('/health/live')));
    const before = Math.floor(Date.now() / 60_000);
    const responses = await Promise.all(asks.map((request) => request('/v1/users')));
    const admitted = responses.filter(({ status }) => status !== 429).length;
    // Each worker may allow one request before it asks. If a minute of the clock ends meanwhile, counting starts again.
    const windows = Math.floor(Date.now() / 60_000) - before + 1;
    assert.ok(admitted >= 50 && admitted <= 52 * windows, `${admitted} of 300 in ${windows}`);
  });

  it('fail the start with the reason if one of them cannot start', async () => {
    const { dir } = await create();
    const { url } = await serve(dir);
    const { port } = new URL(url);
    const taken = await gatehouse(['serve', '--port', port], dir, { WORKERS: '2' });
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, new RegExp(`^gatehouse: Another program listens on 127.0.0.1 port ${port}.*\\n$`));
    const wrong = await gatehouse(['serve'], dir, { WORKERS: 'many' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /WORKERS: got "many"; expected a whole number from 1 to 256, or auto/);
  });

  it('are not started by a program that embeds the service', async () => {
    const { dir } = await create();
    await assert.rejects(
      startGatehouse({ workers: 2, dataDir: dir }, { workingDir: dir }),
      /WORKERS: got 2; inside another program/,
    );
  });
});
