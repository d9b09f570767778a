import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const limit = 20;
const resources = new URL('./public', import.meta.url).pathname;

onBothEngines('limit=0 of Apiato', (engine) => {
  const start = services(engine);
  let service: Service;
  let token: string;
  before(async () => {
    const env = { COMPAT: 'apiato11', RATE_LIMIT: String(limit), TRUST_PROXY: '127.0.0.1', RESOURCES_DIR: resources };
    service = await start({ env });
    token = await logIn(service, 'admin@example.com', 'correct horse battery');
    for (const count of [100, 20]) {
      const rows = Array.from({ length: count }, () => ({ words: 'no entry' }));
      await request(service, '/v1/signs/batches', { json: { rows }, token });
    }
    service.advance(60_000);
  });

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const everything = async (asked: object) => {
    const { status, body } = await request<{ data: unknown[] }>(service, '/v1/signs?limit=0', asked);
    assert.deepEqual([status, body.data.length], [200, 120]);
  };
  /** The number of counted requests, including this one. */
  const counted = async (asked: object) => {
    const { headers } = await request(service, '/v1/signs?limit=1', asked);
    return limit - Number(headers.get('ratelimit-remaining'));
  };

  it('counts each page for the address of the caller, and for no other', async () => {
    await everything(from('203.0.113.9'));
    assert.equal(await counted(from('203.0.113.9')), 4, 'the request, its two pages and this one');
    assert.equal(await counted({}), 1, 'the address of the proxy');
  });

  it('counts each page of a signed-in caller for that caller', async () => {
    service.advance(60_000);
    await everything({ token, ...from('203.0.113.10') });
    assert.equal(await counted({ token, ...from('203.0.113.11') }), 4);
    assert.equal(await counted(from('203.0.113.10')), 1);
  });

  it('is refused at the rate limit', async () => {
    service.advance(60_000);
    const asked = from('203.0.113.12');
    for (let i = 0; i < limit - 2; i++) await request(service, '/v1/signs?limit=1', asked);
    assert.equal((await request(service, '/v1/signs?limit=0', asked)).status, 429);
  });
});
