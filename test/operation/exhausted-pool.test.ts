import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { addClient, addLogin, password } from '../harness/accounts.ts';
import { openTokens } from '../harness/bearers.ts';
import { type JsonResponse, logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { byCredentials, requestBy } from '../harness/token-requests.ts';

describe('An exhausted pool', () => {
  const start = services('postgres');
  let service: Service;
  before(async () => {
    service = await start({ env: { DATABASE_POOL_SIZE: '2' } });
  });

  /** Transactions that stay open. */
  const whileTaken = async (work: () => Promise<void>) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holders = [1, 2].map(() => {
      const { promise: taken, resolve: take } = Promise.withResolvers<void>();
      const done = service.context.database.db.transaction().execute(async () => {
        take();
        await released;
      });
      return { taken, done };
    });
    await Promise.all(holders.map(({ taken }) => taken));
    try {
      await work();
    } finally {
      release();
      await Promise.all(holders.map(({ done }) => done));
    }
  };

  it('does not prevent token checks and refreshes', async () => {
    service.scopes.addResource('cars');
    const client = await addClient(service, { scopes: ['cars:read'] });
    const token = (form: Record<string, string>) => request(service, '/v1/oauth/token', { form });
    const { body } = await token(byCredentials(client));
    const [bearer = ''] = await openTokens(service, 1);
    await whileTaken(async () => {
      // The token is not in the cache, so its session must be read.
      const known = await request(service, '/v1/users/me?filter=nothing', { token: bearer });
      assert.equal(known.status, 400, known.text);
      const refreshed = await token(
        requestBy(client, { grant_type: 'refresh_token', refresh_token: body.refresh_token as string }),
      );
      assert.equal(refreshed.status, 200, refreshed.text);
      const { status, body: health } = await request<{ checks: Record<string, string> }>(service, '/health/ready');
      assert.deepEqual([status, health.checks.pool, health.checks.database], [503, 'not ready', 'ok']);
    });
  });

  it('responds 503 after a wait, and immediately once it has been exhausted for long', async () => {
    const [bearer = ''] = await openTokens(service, 1);
    const users = () => request(service, '/v1/users/me', { token: bearer });
    await whileTaken(async () => {
      const asked: Promise<JsonResponse>[] = [];
      const waiting = new Set<number>();
      let overtaken = false;
      while (!overtaken) {
        const turn = asked.length;
        waiting.add(turn);
        asked.push(
          users().finally(() => {
            waiting.delete(turn);
            overtaken ||= [...waiting].some((earlier) => earlier < turn);
          }),
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      for (const { status, headers, text } of await Promise.all(asked)) {
        assert.ok(status === 503 && Number(headers.get('retry-after')) > 0, text);
      }
    });
    assert.equal((await users()).status, 200);
  });

  it('is not caused by the changes of one account, which wait for each other', async () => {
    const service = await start({ env: { DATABASE_POOL_SIZE: '3' } });
    const { db, connections } = service.context.database;
    const [ada, bob] = [await addLogin(service), await addLogin(service)];
    const [token, other] = [await logIn(service, ada.email, password), await logIn(service, bob.email, password)];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
    const holder = db.transaction().execute(async (tx) => {
      await tx.selectFrom('users').select('id').where('id', '=', ada.id).forUpdate().execute();
      lock();
      await released;
    });
    await locked;
    const changes = Array.from({ length: 20 }, (_, n) =>
      request(service, '/v1/tokens', { json: { name: `token ${n}` }, token }),
    );
    const waiting = sql<{ waiting: boolean }>`select exists (select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock') as waiting`;
    try {
      while (!(await waiting.execute(db)).rows[0]?.waiting) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const name of ['Bob', 'Robert'])
        assert.equal(
          (await request(service, '/v1/users/me', { method: 'PATCH', json: { name }, token: other })).status,
          200,
        );
      assert.equal(connections().waiting, 0);
    } finally {
      release();
      await holder;
    }
    assert.deepEqual(new Set((await Promise.all(changes)).map(({ status }) => status)), new Set([201]));
  });
});
