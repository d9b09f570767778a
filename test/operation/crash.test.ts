import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ended, gatehouse, serverProcesses } from '../harness/command.ts';
import { databases } from '../harness/engines.ts';

const headers = { accept: 'application/json' };

describe('A SQLite service that is killed while it writes', () => {
  const create = databases('sqlite');
  const serve = serverProcesses();
  let dir: string;
  let client: { client_id: string; client_secret: string };
  before(async () => {
    dir = (await create()).dir;
    client = JSON.parse((await gatehouse(['client', 'create', 'Robot', '--json'], dir)).stdout);
  });

  const request = (url: string, form: Record<string, string>) => {
    const { client_id, client_secret } = client;
    const body = new URLSearchParams({ client_id, client_secret, ...form });
    return fetch(`${url}/v1/oauth/token`, { method: 'POST', headers, body });
  };

  it('keeps every write that it acknowledged', async () => {
    const { url, child } = await serve(dir);
    const acknowledged: string[] = [];
    const writers = Array.from({ length: 8 }, async () => {
      for (;;) {
        const response = await request(url, { grant_type: 'client_credentials' });
        acknowledged.push(((await response.json()) as { refresh_token: string }).refresh_token);
        // During the requests of the other writers.
        if (acknowledged.length === 150) child.kill('SIGKILL');
      }
    });
    await Promise.allSettled(writers);
    await ended(child);
    assert.ok(acknowledged.length >= 150);

    const again = await serve(dir);
    const lost: number[] = [];
    for (const [n, refresh_token] of acknowledged.entries()) {
      const response = await request(again.url, { grant_type: 'refresh_token', refresh_token });
      if (response.status !== 200) lost.push(n);
      await response.text();
    }
    assert.deepEqual(lost, []);
    again.child.kill('SIGTERM');
    assert.deepEqual(await ended(again.child), [0, null]);
  });
});
