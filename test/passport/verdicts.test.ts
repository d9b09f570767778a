import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/database/database.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';
import { mariadbInstalled } from './mariadb-server.ts';
import { type OldEngine, oldDatabases } from './old-database.ts';
import { heldByClients, introspect, mappedScopes, refresh, setClock, takeOver, whoAmI } from './take-over.ts';

const held = heldByClients('passport10');
const web = { id: '2', secret: held.secretOf('2') };

/** Passport's verdict on each, by its tables: an access token, and a refresh token. */
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
    const said = held.me[situation];
    if (said) assert.equal(me.status, said[0], situation);
    if (said?.[1].email) assert.equal(me.body.data.email, said[1].email);
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

  it('finds every token of Passport 10 as Passport judged it, and refreshes each once', async () => {
    const service = await start();
    setClock(service);
    for (const { access_token } of held.tokens.values())
      assert.equal((await whoAmI(service, access_token)).status, 401);
    const report = await takeOver(service, await make(), { scopes: mappedScopes });
    assert.deepEqual(report.decisions, []);
    await judgeAll(service);
    for (const [situation, , works] of verdicts) {
      const answer = await refresh(service, held.of(situation).refresh_token as string, web);
      assert.equal(answer.status, works ? 200 : 400, `${situation}: ${JSON.stringify(answer.body)}`);
      if (works) assert.equal((await whoAmI(service, answer.body.access_token)).status, 200, situation);
      else assert.equal(answer.body.error, 'invalid_grant');
    }
  });

  it('finds those of Passport 13: clients with UUIDs and hashed secrets', async () => {
    const service = await start();
    setClock(service);
    await takeOver(service, await make('passport13'), { scopes: mappedScopes });
    const newer = heldByClients('passport13');
    const client = {
      id: 'a33b3283-65b0-45a7-9d9a-5341fb305cd1',
      secret: newer.secretOf('a33b3283-65b0-45a7-9d9a-5341fb305cd1'),
    };
    const live = await whoAmI(service, newer.of('login').access_token);
    assert.deepEqual([live.status, live.body.data.email], [200, 'ada@example.com']);
    assert.equal((await whoAmI(service, newer.of('used').access_token)).status, 401);
    assert.equal((await refresh(service, newer.of('used').refresh_token as string, client)).status, 400);
    const answer = await refresh(service, newer.of('login').refresh_token as string, client);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal((await whoAmI(service, answer.body.access_token)).status, 200);
    const [id] = ['a33b3283-9bba-47d0-8154-d9e3eb2ea63e'];
    const machine = { id, secret: newer.secretOf(id) };
    // The first time its hash is checked, the second time our own form of it.
    for (const _ of [1, 2]) {
      const asked = await introspect(service, newer.of('machine').access_token, machine);
      assert.deepEqual([asked.body.active, asked.body.scope], [true, 'users:read']);
    }
    const { status } = await introspect(service, newer.of('machine').access_token, { ...machine, secret: 'another' });
    assert.equal(status, 401);
  });
}

onBothEngines('tokens of a Passport service on SQLite', (engine) => fixturesOf('sqlite', engine));
describe('tokens of a Passport service on PostgreSQL', () => fixturesOf('postgres', 'sqlite'));
describe('tokens of a Passport service on MariaDB', { skip: !mariadbInstalled() && 'no mariadbd is installed' }, () =>
  fixturesOf('mariadb', 'postgres'),
);
