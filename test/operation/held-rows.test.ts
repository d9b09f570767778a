import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { addClient } from '../harness/accounts.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { byCredentials, requestBy } from '../harness/token-requests.ts';

type Client = Awaited<ReturnType<typeof addClient>>;

describe('Locked rows on PostgreSQL', () => {
  const start = services('postgres');
  let service: Service;
  let held: Client;
  let free: Client;
  before(async () => {
    service = await start();
    service.scopes.addResource('cars');
    held = await addClient(service, { scopes: ['cars:read'] });
    free = await addClient(service, { scopes: ['cars:read'] });
  });

  const token = (form: Record<string, string>) => request(service, '/v1/oauth/token', { form });
  const refresh = (client: Client, refresh_token: string) =>
    token(requestBy(client, { grant_type: 'refresh_token', refresh_token }));
  /** Like an operator's database session that was left open. */
  const whileHeld = async (statement: string, values: unknown[], work: () => Promise<void>) => {
    const holder = new pg.Client({ connectionString: service.database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query(statement, values);
    try {
      await work();
    } finally {
      await holder.query('rollback');
      await holder.end();
    }
  };

  it('delay only the tokens of their own client', async () => {
    let answered = false;
    let waiting: Promise<{ status: number }> | undefined;
    await whileHeld('select 1 from clients where id = $1 for update', [held.id], async () => {
      waiting = token(byCredentials(held)).finally(() => {
        answered = true;
      });
      const others = await Promise.all(Array.from({ length: 8 }, () => token(byCredentials(free))));
      assert.deepEqual([...new Set(others.map(({ status }) => status))], [200]);
      assert.equal(answered, false);
    });
    assert.equal((await waiting)?.status, 200);
  });

  it('delay only the refresh of their own session', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => token(byCredentials(free))));
    const [first = '', ...others] = opened.map(({ body }) => body.refresh_token as string);
    let waiting: Promise<{ status: number }> | undefined;
    const [session] = first.split('.');
    await whileHeld('select 1 from sessions where id = $1 for update', [session], async () => {
      waiting = refresh(free, first);
      const responses = await Promise.all(others.map((each) => refresh(free, each)));
      assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
    });
    assert.equal((await waiting)?.status, 200);
  });
});
