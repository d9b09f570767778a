import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { isAccepted, logOut, openTokens } from '../harness/bearers.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type TcpProxy, tcpProxies } from '../harness/tcp-proxy.ts';

const env = { BASE_URL: 'http://auth.example.com' };
const both = ['to client', 'to server'] as const;

/** Longer than any lease, even on a busy machine. Only a hanging request takes longer. */
const bound = 60_000;
const inTime = async <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the request hangs')), bound);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

describe('An instance that is cut off from invalidations', () => {
  const start = services('postgres');
  const proxied = tcpProxies();
  let near: Service;
  let third: Service;
  let far: Service;
  let network: TcpProxy;
  before(async () => {
    near = await start({ env });
    const beside = (name: string) => join(near.database.dir, name);
    network = await proxied(near.database.url);
    third = await start({ env: { ...env, DATA_DIR: beside('third') }, database: near.database });
    far = await start({
      env: { ...env, DATA_DIR: beside('far'), DATABASE_URL: network.url },
      database: near.database,
    });
  });

  const ready = () => request<{ checks: Record<string, string> }>(far, '/health/ready');
  const trusts = async (wanted: boolean) => {
    while (far.context.database.bus.isCacheUsable() !== wanted) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  /** Opens sessions, and lets every instance cache their tokens. */
  const remembered = async (count: number): Promise<string[]> => {
    const tokens = await openTokens(near, count);
    // The instance may notice only now that an earlier connection has ended.
    do {
      await inTime(trusts(true));
      for (const service of [near, third, far])
        for (const token of tokens) assert.equal(await isAccepted(service, token), true);
    } while (!far.context.database.bus.isCacheUsable());
    return tokens;
  };
  /** Whether any instance accepts the token after the logout was acknowledged. */
  const isAcceptedAfterLogout = async (at: Service, token: string): Promise<boolean> => {
    await inTime(logOut(at, token));
    return (await Promise.all([far, third, near].map((service) => isAccepted(service, token)))).includes(true);
  };

  for (const ways of [['to client'], ['to server'], both] as const) {
    it(`refuses tokens that were revoked on another instance: nothing gets ${ways.join(' or ')}`, async () => {
      const [validToken, ...tokens] = (await remembered(9)) as [string, ...string[]];
      network.swallow(ways);
      assert.deepEqual(
        await Promise.all(tokens.map((token) => isAcceptedAfterLogout(near, token))),
        tokens.fill('').map(() => false),
      );
      await inTime(trusts(false));
      const { status, headers, body } = await ready();
      assert.deepEqual(
        [status, body.checks],
        [503, { database: 'ok', disk: 'ok', pool: 'ok', lease: 'not ready', queue: 'ok' }],
      );
      assert.ok(Number(headers.get('retry-after')) > 0);
      assert.equal(await isAccepted(far, validToken), true, 'the instance asks the database');
      network.restore();
      await inTime(trusts(true));
      assert.equal((await ready()).status, 200);
    });

    it(`completes its own logouts: nothing gets ${ways.join(' or ')}`, async () => {
      const tokens = await remembered(4);
      network.swallow(ways);
      assert.deepEqual(
        await Promise.all(tokens.map((token) => isAcceptedAfterLogout(far, token))),
        tokens.map(() => false),
      );
      network.restore();
    });
  }

  it('responds in bounded time if the network is completely blocked', async () => {
    const [token] = (await remembered(1)) as [string];
    network.swallow(both, 'all');
    await inTime(trusts(false));
    const logout = await inTime(request(far, '/v1/logout', { method: 'DELETE', token }));
    assert.equal(logout.status, 503);
    const { status, body } = await inTime(ready());
    network.restore();
    assert.deepEqual([status, body.checks.database, body.checks.disk], [503, 'not ready', 'ok']);
    await inTime(trusts(true));
    assert.equal(await isAcceptedAfterLogout(far, token), false);
  });

  it('refuses revoked tokens while its connection breaks again and again', async () => {
    const tokens = await remembered(120);
    const cutting = setInterval(() => network.cut(), 60);
    const lived: boolean[] = [];
    for (let n = 0; n < tokens.length; n += 8) {
      const round = tokens.slice(n, n + 8);
      await Promise.all(round.map((token) => isAccepted(far, token)));
      lived.push(...(await Promise.all(round.map((token) => isAcceptedAfterLogout(near, token)))));
    }
    clearInterval(cutting);
    assert.equal(lived.filter(Boolean).length, 0);
  });
});
