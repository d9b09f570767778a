import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { rowMark } from '../../src/database/sqlite/row-mark.ts';
import { OperatorError, Problem } from '../../src/platform/errors.ts';
import { isAccepted, logOut, openTokens } from '../harness/bearers.ts';
import { databases, type TestDatabase } from '../harness/engines.ts';
import { hasPgBouncer, pgBouncers } from '../harness/pgbouncer.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const env = { BASE_URL: 'http://auth.example.com' };

describe('PgBouncer with transaction pooling', { skip: hasPgBouncer ? false : 'PgBouncer is not installed' }, () => {
  const start = services('postgres');
  const startPooler = pgBouncers();
  const create = databases('postgres');
  let database: TestDatabase;
  let through: string;
  before(async () => {
    database = await create();
    through = await startPooler(database.url, 'transaction');
  });

  const refusal = async (settings: Record<string, string>) => {
    const started = start({ env: { ...env, ...settings }, database });
    return await started.then(
      () => assert.fail('the service started'),
      (error) => {
        assert.ok(error instanceof OperatorError);
        return error.message;
      },
    );
  };

  it('alone is refused with a reason, and so is a second pooler for invalidations', async () => {
    assert.match(await refusal({ DATABASE_URL: through }), /transaction pooler.*Set DATABASE_LISTEN_URL/s);
    const bothThrough = { DATABASE_URL: through, DATABASE_LISTEN_URL: through };
    assert.match(await refusal(bothThrough), /DATABASE_LISTEN_URL .* goes through a transaction pooler/);
    const { url: another } = await create();
    const elsewhere = { DATABASE_URL: through, DATABASE_LISTEN_URL: another };
    assert.match(await refusal(elsewhere), /is not the database of DATABASE_URL/);
  });

  it('serves instances that receive invalidations over a direct connection', async () => {
    const pooled = { ...env, DATABASE_URL: through, DATABASE_LISTEN_URL: database.url };
    const one: Service = await start({ env: pooled, database });
    const other = await start({ env: { ...pooled, DATA_DIR: join(database.dir, 'other') }, database });
    const [kept, revoked] = (await openTokens(one, 2)) as [string, string];
    for (const service of [one, other])
      for (const token of [kept, revoked]) assert.equal(await isAccepted(service, token), true);
    await logOut(one, revoked);
    assert.deepEqual([await isAccepted(other, revoked), await isAccepted(other, kept)], [false, true]);
    // More concurrent requests than the pooler has connections.
    const registered = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        request(n % 2 ? one : other, '/v1/register', {
          json: { email: `${randomUUID()}@example.com`, password: 'a long enough one' },
        }),
      ),
    );
    assert.deepEqual(
      registered.map(({ status }) => status),
      registered.map(() => 201),
    );
    assert.equal((await request(one, '/health/ready')).status, 200);
  });

  describe('and a database behind it', () => {
    const opened: Database[] = [];
    let stranger: pg.Client;
    before(async () => {
      stranger = new pg.Client({ connectionString: through });
      await stranger.connect();
    });
    after(async () => {
      await stranger.end();
      for (const one of opened) await one.close();
    });

    const open = async (readTimeout: number) => {
      const place = { databaseUrl: through, databaseListenUrl: database.url, workingDir: database.dir };
      const one = await openDatabase({ ...place, databasePoolSize: 4, readTimeout });
      opened.push(one);
      return one;
    };
    const first = async (text: string) => (await stranger.query(text)).rows[0];

    it('leaves no session state after a transaction, and limits each statement', async () => {
      const { read } = await open(1);
      const limit = "select current_setting('statement_timeout') as ms";
      assert.deepEqual(await read(limit, []), [{ ms: '1s' }]);
      assert.deepEqual(await first(limit), { ms: '0' });
      assert.deepEqual(await first('select count(*)::int as n from pg_prepared_statements'), { n: 0 });
      const tooLong = (error: unknown) => error instanceof Problem && error.code === 'too_expensive';
      await assert.rejects(async () => read('select pg_sleep(100)', []), tooLong);
      assert.deepEqual(await read('select 1 as n', []), [{ n: 1 }]);
    });

    it('cancels a statement whose caller has disconnected', async () => {
      const { read } = await open(100);
      const { promise: isGone, resolve: disconnect } = Promise.withResolvers<void>();
      const onDisconnect = (gone: () => void) => {
        void isGone.then(gone);
        return () => undefined;
      };
      const countSleeping = "select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep'";
      const sleep = async () =>
        read(`select pg_sleep(100) where ${rowMark} true`, [], { caller: 'somebody', onDisconnect: onDisconnect });
      const left = assert.rejects(sleep, /Nobody waits/);
      while ((await first(countSleeping)).n !== 1);
      disconnect();
      await left;
      while ((await first(countSleeping)).n !== 0);
    });
  });
});
