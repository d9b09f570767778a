import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { sql } from 'kysely';
import { move } from '../../extensions/move/move.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { Engine } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { addClient, addLogin, password } from '../harness/accounts.ts';
import { gatehouseHere } from '../harness/command-here.ts';
import { databases, onBothEngines, type TestDatabase } from '../harness/engines.ts';
import { mailedLink } from '../harness/mailed-link.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

const env = { RESOURCES_DIR: join(import.meta.dirname, 'resources') };
const things = [
  {
    code: 'Ünïcode "quoted" \\ and 👩‍🚀',
    note: '',
    large: Number.MAX_SAFE_INTEGER,
    small: 0.1,
    good: true,
    day: '0099-12-31',
    moment: '9999-12-31T23:59:59.999Z',
    color: 'Green',
    extras: { deep: [{ null: null, list: [1, 2.5, 'x'] }], text: '{"a":1}' },
    tags: ['a,b', '{c}', '"d"', 'NULL', 'ß'],
    serial: '0199d0a0-7c00-7000-8000-000000000001',
  },
  { code: 'NULL', note: 'two\nlines\tand a tab', large: Number.MIN_SAFE_INTEGER, small: 5e-324, extras: null },
  { code: '\\N', small: -1.7976931348623157e308, good: false, moment: '0001-01-01T00:00:00.000Z', extras: [] },
];

/** The stored rows of a table, without the conversions of Gatehouse. */
async function onDatabase<T>({ url, dir }: TestDatabase, statement: string): Promise<T[]> {
  const database = await openDatabase({ databaseUrl: url, databasePoolSize: 2, workingDir: dir });
  try {
    return (await sql.raw<T>(statement).execute(database.db)).rows;
  } finally {
    await database.close();
  }
}

/** Interrupts the move after a batch of this table. */
async function moveInPart(from: TestDatabase, to: TestDatabase, table: string, batch: number): Promise<void> {
  const config = parseConfig({}, { DATABASE_URL: from.url, DATA_DIR: from.dir }, from.dir);
  const advance = (by: number, what?: string) => {
    if (what === `copying ${table}` && by === batch) throw new Error('cut off');
  };
  const progress = () => ({ advance, end: () => undefined });
  const options = { to: to.url, without: [], startOver: false, dryRun: false, progress };
  await assert.rejects(move(config, options), /cut off/);
}

onBothEngines('Moving a service to the other engine', (engine) => {
  const start = services(engine);
  const create = databases(engine);
  const other: Engine = engine === 'sqlite' ? 'postgres' : 'sqlite';
  const createOther = databases(other);
  const startOther = services(other);
  const moveBetween = (from: TestDatabase, to: TestDatabase, ...options: string[]) =>
    gatehouseHere(['move', '--to', to.url, ...options], from.dir, { DATABASE_URL: from.url, DATA_DIR: from.dir });

  it('reports a target that cannot be reached in one line', async () => {
    const here = await create();
    await (await start({ database: here, env })).close();
    for (const hosts of ['127.0.0.1:1', '127.0.0.1:1,localhost:1']) {
      const { code, stderr } = await moveBetween(here, { ...here, url: `postgres://me:secret@${hosts}/nothing` });
      assert.equal(code, 1);
      assert.match(stderr, /^gatehouse: The PostgreSQL database at 127\.0\.0\.1:1\/nothing.* cannot be used: .*\n$/);
      assert.doesNotMatch(stderr, /secret/);
    }
  });

  it('starts over after an interruption on request', async () => {
    const [here, there] = [await create(), await createOther()];
    await (await start({ database: here, env })).close();
    await onDatabase(here, "insert into throttles (key, count, expires_at) values ('k', 1, 1)");
    await moveInPart(here, there, 'throttles', 1);
    const moved = await moveBetween(here, there, '--start-over');
    assert.equal(moved.code, 0, moved.stderr);
    assert.deepEqual(await onDatabase(there, 'select key from throttles'), [{ key: 'k' }]);
  });

  it('keeps all sessions and all values, and can be resumed after an interruption', async () => {
    const [here, there] = [await create(), await createOther()];
    const old = await start({ database: here, env });
    const { id: userId, email } = await addLogin(old, { roles: ['admin'] });
    const { body: login } = await request<{ access_token: string; refresh_token: string }>(
      old,
      '/v1/clients/web/admin/login',
      { json: { email, password } },
    );
    const token = login.access_token;
    const personal = await request<{ data: { access_token: string } }>(old, '/v1/tokens', {
      token,
      json: { name: 'mine', scopes: ['*'] },
    });
    const client = await addClient(old, { scopes: ['things:read'] });
    await request(old, '/v1/password/resets', { json: { email } });
    const link = await mailedLink(old, 'reset-password', email);
    const made: Record<string, unknown>[] = [];
    for (const thing of things) {
      const { status, body } = await request<{ data: { id: string } }>(old, '/v1/things', {
        token,
        json: { ...thing, owner_id: userId },
      });
      assert.equal(status, 201, JSON.stringify(body));
      made.push(body.data);
    }
    const circle = { parent_id: made[1]?.id };
    await request(old, `/v1/things/${made[0]?.id}`, { method: 'PATCH', token, json: circle });
    await request(old, `/v1/things/${made[1]?.id}`, { method: 'PATCH', token, json: { parent_id: made[0]?.id } });
    const shown = (await request(old, '/v1/things?orderBy=code', { token })).text;
    await old.queue.enqueue(old.context.database.db, { name: 'of nobody', data: { pin: 'hunter2' }, sealed: true });

    const webhook = await request<{ data: { id: string; secret: string } }>(old, '/v1/webhooks', {
      token,
      json: { url: 'https://example.com/hook', resources: ['users'], active: false },
    });
    const { id: webhookId, secret: previousSecret } = webhook.body.data;
    const replaced = await request<{ data: { secret: string } }>(old, `/v1/webhooks/${webhookId}/secrets`, {
      token,
      json: {},
    });
    const lost = 'encrypted with a lost secret';
    await old.context.database.db
      .insertInto('legacy_keys')
      .values({ id: 'app', sealed: lost, created_at: 0 })
      .execute();

    const serving = await moveBetween(here, there);
    assert.equal(serving.code, 1, serving.stdout);
    assert.match(serving.stderr, /Stop/);
    await old.close();
    // Larger than the numbers of JavaScript, and more rows than one batch.
    const n = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)';
    await onDatabase(
      here,
      `insert into throttles (key, count, expires_at) ${n} select 'k' || i, 1, 9007199254740993 from n`,
    );

    const looked = await moveBetween(here, there, '--dry-run');
    assert.equal(looked.code, 0, looked.stderr);
    assert.match(looked.stdout, /throttles +120\d\d\n/);
    await moveInPart(here, there, 'throttles', 5000);
    const half = await gatehouseHere(['user', 'list'], there.dir, { DATABASE_URL: there.url, DATA_DIR: there.dir });
    assert.deepEqual([half.code, /not finished/.test(half.stderr)], [1, true]);

    const moved = await moveBetween(here, there, '--json');
    assert.equal(moved.code, 0, moved.stderr);
    const report = JSON.parse(moved.stdout) as { taken_up: boolean; tables: { table: string; checksum: string }[] };
    assert.equal(report.taken_up, true);
    assert.ok(report.tables.some(({ table }) => table === 'things'));
    const again = await moveBetween(here, there);
    assert.deepEqual([again.code, /not empty.*throttles \(120\d\d\)/.test(again.stderr)], [1, true], again.stderr);

    // With the password of PostgreSQL or the key file for SQLite, and nothing else of the old service.
    const kept = JSON.parse(readFileSync(join(here.dir, 'clients.json'), 'utf8'))['web/admin'];
    const same = { CLIENT_WEB_ADMIN_ID: kept.id, CLIENT_WEB_ADMIN_SECRET: kept.secret };
    const dir = other === 'sqlite' ? here.dir : there.dir;
    const service = await startOther({ database: there, env: { ...env, ...same, DATA_DIR: dir } });
    assert.equal((await request(service, '/v1/things?orderBy=code', { token })).text, shown);
    assert.equal((await request(service, '/v1/users/me', { token: personal.body.data.access_token })).status, 200);
    const credentials = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    assert.equal((await request(service, '/oauth/token', { form: credentials })).status, 200);
    const { refresh_token } = login;
    const refreshed = await request(service, '/v1/clients/web/admin/refresh', { form: { refresh_token } });
    assert.equal(refreshed.status, 200, refreshed.text);
    const reset = { json: { password: 'another long enough one' } };
    assert.equal(
      (await request(service, `/v1${link}`.replace('/password/reset/', '/password/resets/'), reset)).status,
      200,
    );
    const jobs = await service.context.database.db.selectFrom('queued_jobs').selectAll().execute();
    const job = jobs.find(({ name }) => name === 'of nobody');
    assert.deepEqual(JSON.parse(service.keys.unseal((job?.data ?? '').slice('sealed:'.length), `job ${job?.id}`)), {
      pin: 'hunter2',
    });
    const { db } = service.context.database;
    const hook = await db.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
    const secrets = [hook.sealed_secret, hook.sealed_previous ?? ''].map((sealed) =>
      service.keys.unseal(sealed, `webhook ${userId}`),
    );
    assert.deepEqual(secrets, [replaced.body.data.secret, previousSecret]);
    assert.equal((await db.selectFrom('legacy_keys').select('sealed').executeTakeFirstOrThrow()).sealed, lost);
    await service.close();
    const exact = `select cast(expires_at as text) as at from throttles where key = 'k7'`;
    assert.deepEqual(await onDatabase(there, exact), [{ at: '9007199254740993' }]);
    const indexes = {
      sqlite: `select name from sqlite_master where type = 'index' and sql is not null`,
      postgres: `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = 'public'::regnamespace and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)`,
    };
    const namesOf = async (database: TestDatabase) =>
      (await onDatabase<{ name: string }>(database, indexes[database.engine])).map(({ name }) => name).sort();
    assert.deepEqual(await namesOf(there), await namesOf(here));
  });
});
