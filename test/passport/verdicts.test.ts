import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/database/database.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { mariadbInstalled } from './mariadb-server.ts';
import { type OldEngine, oldDatabases } from './old-database.ts';
import { heldByClients, introspect, mappedScopes, refresh, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const web = { id: '2', secret: held.secretOf('2') };

/** Passport's verdict on each access token and refresh token, according to its tables. */
const verdicts: readonly [situation: string, access: boolean, refresh: boolean][] = [
  ['login', true, true],
  ['login_scoped', true, true],
  ['login_star', true, true],
  ['used', false, false],
  ['refreshed', true, true],
  ['logged_out', false, false],
  ['only_access_revoked', false, false],
  ['json_integer_client_id', false, false],
  ['integer_client_id_refresh', true, true],
];

async function judgeAll(service: Service): Promise<void> {
  for (const [situation, access, works] of verdicts) {
    const tokens = held.of(situation);
    const me = await whoAmI(service, tokens.access_token);
    assert.equal(me.status, access ? 200 : 401, `${situation}: ${JSON.stringify(me.body)}`);
    const expected = held.me[situation];
    if (expected) assert.equal(me.status, expected[0], situation);
    if (expected?.[1].email) assert.equal(me.body.data.email, expected[1].email);
    const asked = await introspect(service, tokens.refresh_token as string, web);
    assert.equal(asked.body.active, works, `${situation} at introspection`);
  }
  for (const [situation, works] of [
    ['personal', true],
    ['personal_revoked', false],
  ] as const) {
    const me = await whoAmI(service, held.of(situation).access_token);
    assert.equal(me.status, works ? 200 : 401, situation);
  }
  const machine = { id: '3', secret: held.secretOf('3') };
  const asked = await introspect(service, held.of('machine').access_token, machine);
  assert.deepEqual([asked.body.active, asked.body.scope], [true, 'users:read']);
}

function fixturesOf(old: OldEngine, engine: Engine): void {
  const start = services(engine);
  const make = oldDatabases(old);

  it('are accepted or refused like in Passport 10, and can be refreshed once', async () => {
    const service = await start();
    setClock(service);
    for (const { access_token } of held.tokens.values())
      assert.equal((await whoAmI(service, access_token)).status, 401);
    const report = await runImport(service, await make(), { scopes: mappedScopes });
    assert.deepEqual(report.decisions, []);
    await judgeAll(service);
    for (const [situation, , works] of verdicts) {
      const response = await refresh(service, held.of(situation).refresh_token as string, web);
      assert.equal(response.status, works ? 200 : 400, `${situation}: ${JSON.stringify(response.body)}`);
      if (works) assert.equal((await whoAmI(service, response.body.access_token)).status, 200, situation);
      else assert.equal(response.body.error, 'invalid_grant');
    }
  });

  it('are accepted or refused like in Passport 13, with UUIDs and hashed client secrets', async () => {
    const service = await start();
    setClock(service);
    const old = await make('passport13');
    const [id] = ['a33b3283-9bba-47d0-8154-d9e3eb2ea63e'];
    // Passport 13 allows a client only the listed grants.
    for (const [name, grants] of [
      ['code', '["authorization_code","refresh_token"]'],
      ['both', '["authorization_code","client_credentials"]'],
      ['pat', '["personal_access"]'],
    ]) {
      await old.run(
        `insert into oauth_clients (id, name, secret, redirect_uris, grant_types, revoked)
         select '${name}', '${name}', secret, '["https://app.example.com/cb"]', '${grants}', revoked from oauth_clients where id = '${id}'`,
      );
    }
    await runImport(service, old, { scopes: mappedScopes });
    const newer = heldByClients('passport13');
    const client = {
      id: 'a33b3283-65b0-45a7-9d9a-5341fb305cd1',
      secret: newer.secretOf('a33b3283-65b0-45a7-9d9a-5341fb305cd1'),
    };
    const live = await whoAmI(service, newer.of('login').access_token);
    assert.deepEqual([live.status, live.body.data.email], [200, 'ada@example.com']);
    assert.equal((await whoAmI(service, newer.of('used').access_token)).status, 401);
    assert.equal((await refresh(service, newer.of('used').refresh_token as string, client)).status, 400);
    const response = await refresh(service, newer.of('login').refresh_token as string, client);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    assert.equal((await whoAmI(service, response.body.access_token)).status, 200);
    const machine = { id, secret: newer.secretOf(id) };
    for (const [name, status] of Object.entries({ code: 400, both: 200, pat: 400, [id]: 200 })) {
      const form = { grant_type: 'client_credentials', client_id: name, client_secret: machine.secret };
      assert.equal((await request(service, '/v1/oauth/token', { form })).status, status, name);
    }
    // The first time against the imported hash, the second time against our own.
    for (const _ of [1, 2]) {
      const asked = await introspect(service, newer.of('machine').access_token, machine);
      assert.deepEqual([asked.body.active, asked.body.scope], [true, 'users:read']);
    }
    const { status } = await introspect(service, newer.of('machine').access_token, { ...machine, secret: 'another' });
    assert.equal(status, 401);
  });

  // SQLite stores such columns as text. test/passport/map.test.ts covers those.
  if (old !== 'sqlite') mapOf(old, engine, { start, make });
}

const profiles = `import { defineResource, owner, t } from 'gatehouse-server/resources';
export default defineResource({
  name: 'profiles',
  fields: {
    user_id: t.reference('users', { required: true }),
    birthday: t.date(), shoe_size: t.integer(), height: t.number(), newsletter: t.boolean(), seen_at: t.timestamp(), tags: t.list(),
  },
  access: { read: owner('user_id'), write: owner('user_id') },
});`;
/** The types that Laravel uses for such columns, with values in the format of each server. */
const columnTypes = {
  postgres: ['date', 'smallint', 'numeric(4,2)', 'boolean', 'timestamp(0) with time zone', 'jsonb', 'true'],
  mariadb: ['date', 'smallint', 'decimal(4,2)', 'tinyint(1)', 'datetime', 'json', '1'],
} as const;

/** `--map` with the column types of a server. SQLite stores all of them as text. */
function mapOf(
  old: 'postgres' | 'mariadb',
  engine: Engine,
  { start, make }: { start: ReturnType<typeof services>; make: ReturnType<typeof oldDatabases> },
): void {
  const createDatabase = databases(engine);
  it('are imported with user columns in declared fields', async () => {
    const [database, source] = [await createDatabase(), await make()];
    mkdirSync(join(database.dir, 'resources'));
    writeFileSync(join(database.dir, 'resources', 'profiles.ts'), profiles);
    const service = await start({ database });
    setClock(service);
    const [date, integer, number, boolean, timestamp, json, trueLiteral] = columnTypes[old];
    await source.run(`
      alter table users add column birthday ${date}, add column shoe_size ${integer}, add column height ${number},
        add column newsletter ${boolean}, add column seen_at ${timestamp}, add column tags ${json},
        add column mobile varchar(40), add column lang varchar(20);
      update users set birthday = '1815-12-10', shoe_size = 38, height = 1.65, newsletter = ${trueLiteral}, tags = '["a", "b"]',
        seen_at = '2026-11-01 10:00:00', mobile = '+49 30 901820', lang = 'pt_BR' where id = 1`);
    const names = ['birthday', 'shoe_size', 'height', 'newsletter', 'seen_at', 'tags'];
    const fields = Object.fromEntries(names.map((name) => [name, `profiles.${name}`]));
    const map = { fields: { ...fields, mobile: 'phone', lang: 'locale' } };
    const run = () => runImport(service, source, { scopes: mappedScopes, map });
    assert.deepEqual((await run()).decisions, []);
    const token = held.of('login').access_token;
    const me = await request<{ data: { phone: string; locale: string } }>(service, '/v1/users/me', { token });
    assert.deepEqual([me.body.data.phone, me.body.data.locale], ['+4930901820', 'pt-BR']);
    const profile = async () => {
      const { body } = await request<{ data: Record<string, unknown>[] }>(service, '/v1/profiles', { token });
      return body.data.map((row) => names.map((name) => row[name]));
    };
    const values: unknown[] = ['1815-12-10', 38, 1.65, true, '2026-11-01T10:00:00.000Z', ['a', 'b']];
    assert.deepEqual(await profile(), [values]);
    await source.run('update users set shoe_size = 39, seen_at = null where id = 1');
    await run();
    assert.deepEqual(await profile(), [values.with(1, 39).with(4, null)]);
  });
}

onBothEngines('Tokens of a Passport service on SQLite', (engine) => fixturesOf('sqlite', engine));
describe('Tokens of a Passport service on PostgreSQL', () => fixturesOf('postgres', 'sqlite'));
describe('Tokens of a Passport service on MariaDB', { skip: !mariadbInstalled() && 'no mariadbd is installed' }, () =>
  fixturesOf('mariadb', 'postgres'),
);
