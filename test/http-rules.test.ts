import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from './harness/engines.ts';
import { type Service, services } from './harness/service.ts';

onBothEngines('The service', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('responds to an unknown path with a problem that contains the request id', async () => {
    const response = await fetch(`${service.url}/v1/nothing`, {
      headers: { accept: 'application/json', 'x-request-id': 'abc-1' },
    });
    assert.equal(response.status, 404);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(response.headers.get('x-request-id'), 'abc-1');
    assert.equal(((await response.json()) as { instance: string }).instance, 'abc-1');
  });

  it('refuses a request under /v1 that does not accept JSON, before it checks the path', async () => {
    const response = await fetch(`${service.url}/v1/nothing`, { headers: { accept: 'text/html' } });
    assert.equal(response.status, 406);
  });

  it('is ready when the database responds', async () => {
    const response = await fetch(`${service.url}/health/ready`);
    assert.deepEqual(await response.json(), {
      status: 'ok',
      checks: { database: 'ok', disk: 'ok', ...(engine === 'postgres' && { pool: 'ok' }), lease: 'ok', queue: 'ok' },
    });
    assert.ok(response.headers.get('etag'));
  });
});
