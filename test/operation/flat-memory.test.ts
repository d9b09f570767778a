import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const megabytes = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 ** 2;
};

onBothEngines('Memory', (engine) => {
  const start = services(engine);
  let service: Service;
  let token: string;
  before(async () => {
    service = await start();
    const { email } = await addLogin(service, { roles: ['admin'] });
    token = await logIn(service, email, password);
  });

  /** The requests of a day, each with a new value. */
  async function oneRound(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const odd = Math.random().toString(36);
      await Promise.all([
        request(service, '/v1/users/me', { token }),
        request(service, `/v1/users?search=name:${odd}&orderBy=email`, { token }),
        request(service, `/v1/users/${odd}`, { token }),
        request(service, '/v1/users/me', { token: odd }),
        request(service, '/v1/tokens', { json: { name: odd, scopes: ['users:read'] }, token }),
        request(service, '/v1/oauth/token', {
          form: { grant_type: 'refresh_token', refresh_token: odd, client_id: odd },
        }),
      ]);
    }
  }

  it('does not grow with the number of requests', async (t) => {
    await oneRound(100);
    const early = megabytes();
    await oneRound(150);
    const late = megabytes();
    // Caches are bounded and small. 900 retained requests would exceed this.
    const grown = `${early.toFixed(1)} MB, then ${late.toFixed(1)} MB`;
    t.diagnostic(grown);
    assert.ok(late < early + 4, grown);
  });
});
