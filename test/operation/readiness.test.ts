import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const login = (service: Service) =>
  request(service, '/v1/clients/web/admin/login', {
    json: { email: 'admin@example.com', password: 'correct horse battery' },
  });
const register = (service: Service) =>
  request(service, '/v1/register', {
    json: { email: `${randomUUID()}@example.com`, password: 'a long enough one', name: 'n'.repeat(200) },
  });
const ready = (service: Service) => request<{ checks: Record<string, string> }>(service, '/health/ready');
const isUnavailable = ({ status, headers }: JsonResponse) => {
  assert.equal(status, 503);
  assert.ok(Number(headers.get('retry-after')) > 0);
};

describe('Readiness on SQLite', () => {
  const start = services('sqlite');

  for (const file of ['test.db', 'test.db-wal']) {
    it(`fails if ${file} was removed, and no write to it is acknowledged`, async () => {
      const service = await start();
      const { body, status } = await ready(service);
      assert.deepEqual([status, body.checks], [200, { database: 'ok', disk: 'ok', lease: 'ok', queue: 'ok' }]);
      assert.equal((await login(service)).status, 200);
      rmSync(join(service.database.dir, file));
      isUnavailable(await login(service));
      isUnavailable(await register(service));
      const unready = await ready(service);
      assert.deepEqual([unready.status, unready.body.checks.database], [503, 'not ready']);
    });
  }

  it('fails if the files are read-only, and recovers by itself', async (t) => {
    // In memory, an open file can be written even if it is immutable.
    const dir = mkdtempSync(join(process.env.TEST_DISK_DIR ?? tmpdir(), 'gatehouse-disk-'));
    const service = await start({ env: { DATABASE_URL: `sqlite:${join(dir, 'test.db')}` } });
    t.after(async () => {
      await service.close();
      rmSync(dir, { recursive: true });
    });
    assert.equal((await login(service)).status, 200);
    const files = ['test.db', 'test.db-wal'].map((file) => join(dir, file));
    const immutable = (sign: '+' | '-') => execFileSync('chattr', [`${sign}i`, ...files], { stdio: 'ignore' });
    try {
      immutable('+');
    } catch {
      return t.skip('this user or this file system cannot make a file immutable');
    }
    try {
      isUnavailable(await login(service));
      isUnavailable(await register(service));
      const unready = await ready(service);
      assert.deepEqual([unready.status, unready.body.checks.disk], [503, 'not ready']);
      assert.match((await request(service, '/metrics')).text, /^gatehouse_ready\{part="disk"\} 0$/m);
    } finally {
      immutable('-');
    }
    assert.equal((await login(service)).status, 200);
  });

  it('fails with 503, never 500, when the disk is full, also for writes that share a commit', async () => {
    const service = await start();
    const limit = (pages: number) =>
      service.context.database.db
        .transaction()
        .execute((tx) => sql.raw(`pragma max_page_count = ${pages}`).execute(tx));
    await limit(1);
    const responses: JsonResponse[] = [];
    while (!responses.some(({ status }) => status === 503)) {
      responses.push(...(await Promise.all([1, 2, 3, 4].map(() => register(service)))));
    }
    assert.deepEqual(
      [...new Set(responses.map(({ status }) => status))].filter((status) => status !== 201),
      [503],
    );
    for (const response of responses) if (response.status === 503) isUnavailable(response);
    await limit(1_000_000);
    assert.equal((await register(service)).status, 201);
  });
});

describe('Readiness on PostgreSQL', () => {
  const start = services('postgres');
  let service: Service;
  before(async () => {
    service = await start();
  });

  /** From another database, because the sessions of this one would be read-only too. */
  const readOnly = async (value: 'on' | 'off') => {
    const name = new URL(service.database.url).pathname.slice(1);
    const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
    await client.connect();
    await client.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await client.end();
  };
  /** Repeats the request, because sessions end shortly after the command. */
  const until = async (options: () => Promise<JsonResponse>, wanted: number) => {
    for (;;) {
      const response = await options();
      if (response.status === wanted) return response;
      assert.ok(response.status === 200 || response.status === 503, `got ${response.status}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('fails if the primary is read-only, and writes get 503', async () => {
    const { body, status } = await ready(service);
    assert.deepEqual(
      [status, body.checks],
      [200, { database: 'ok', disk: 'ok', pool: 'ok', lease: 'ok', queue: 'ok' }],
    );
    await readOnly('on');
    isUnavailable(await until(() => login(service), 503));
    isUnavailable(await register(service));
    const unready = await ready(service);
    assert.deepEqual([unready.status, unready.body.checks.database], [503, 'not ready']);
    await readOnly('off');
    await until(() => ready(service), 200);
    await until(() => login(service), 200);
  });

  it('fails if every connection of the pool is busy, and names the pool', async () => {
    const narrow = await start({ env: { DATABASE_POOL_SIZE: '1' } });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const holder = narrow.context.database.db.transaction().execute(async () => {
      take();
      await released;
    });
    await taken;
    const { status, body } = await ready(narrow);
    assert.deepEqual([status, body.checks.pool, body.checks.database], [503, 'not ready', 'ok']);
    release();
    await holder;
    await until(() => ready(narrow), 200);
  });
});
