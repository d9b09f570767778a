import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serverProcesses } from '../harness/command.ts';
import { connections } from '../harness/connections.ts';
import { databases } from '../harness/engines.ts';

const routes = fileURLToPath(new URL('./header-routes', import.meta.url));

describe('A worker that counts requests with the others', () => {
  const create = databases('sqlite');
  const serve = serverProcesses();
  const open = connections();

  it('continues after a route has set an invalid header', async () => {
    const { dir, url } = await create();
    // With a limit as low as this, a response waits until the primary has counted the request.
    const env = { DATABASE_URL: url, WORKERS: '2', RATE_LIMIT: '10', ROUTES_DIR: routes };
    const service = await serve(dir, { ...env, ADMIN_PASSWORD: 'correct horse battery' });
    for (const request of open(service.url, 3)) assert.equal((await request('/v1/labels')).status, 500);
    assert.ok(!service.lines.some((line) => line.includes('a worker ended')));
  });
});
