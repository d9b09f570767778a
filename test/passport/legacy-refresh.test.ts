import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, introspect, mappedScopes, refresh, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const web = { id: '2', secret: held.secretOf('2') };
const login = held.of('login');
const legacyRefresh = login.refresh_token as string;
const day = 86_400_000;

onBothEngines('A refresh token of the old service', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const taken = async (change = '', env = {}) => {
    const [service, old] = [await start({ env }), await make()];
    setClock(service);
    if (change) await old.run(change);
    await runImport(service, old, { scopes: mappedScopes });
    return service;
  };

  it('works once, returns the same successor until that is used, and then counts as stolen', async () => {
    const service = await taken();
    const first = await refresh(service, legacyRefresh, web);
    const retry = await refresh(service, legacyRefresh, web);
    assert.deepEqual([first.status, retry.status], [200, 200]);
    assert.equal(retry.body.refresh_token, first.body.refresh_token);
    // The response may have been lost, so the old access token stays valid until the new tokens are used.
    assert.equal((await whoAmI(service, login.access_token)).status, 200);
    assert.equal((await whoAmI(service, first.body.access_token)).status, 200);
    service.advance(11_000);
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    assert.equal((await refresh(service, legacyRefresh, web)).status, 400);
    assert.equal((await whoAmI(service, first.body.access_token)).status, 401);
    assert.equal((await refresh(service, first.body.refresh_token, web)).status, 400);
  });

  it('works only for its own client, and forged tokens are refused', async () => {
    const service = await taken();
    assert.equal((await refresh(service, legacyRefresh, { id: '3', secret: held.secretOf('3') })).status, 400);
    const forged = `${legacyRefresh.slice(0, -2)}${legacyRefresh.endsWith('00') ? '11' : '00'}`;
    assert.equal((await refresh(service, forged, web)).status, 400);
    assert.equal((await refresh(service, 'def50200', web)).status, 400);
    assert.equal((await refresh(service, legacyRefresh, web)).status, 200);
  });

  it('is refused with 429 after many forged ones from one network', async () => {
    const service = await taken();
    const statuses = [];
    for (let i = 0; i < 22; i++) {
      const forged = legacyRefresh.slice(0, -4) + String(i).padStart(4, '0');
      statuses.push((await refresh(service, forged, web)).status);
    }
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(400));
    assert.deepEqual(statuses.slice(20), [429, 429]);
  });

  it('works even if its access token was deleted', async () => {
    const service = await taken('delete from oauth_access_tokens where revoked = 0');
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    const about = await introspect(service, legacyRefresh, web);
    assert.equal(about.body.active, true);
    const response = await refresh(service, legacyRefresh, web);
    assert.equal(response.status, 200);
    assert.equal((await whoAmI(service, response.body.access_token)).body.data.email, 'ada@example.com');
    const scoped = await refresh(service, held.of('login_scoped').refresh_token as string, web);
    const token = scoped.body.access_token;
    const { scope } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as {
      scope: string;
    };
    assert.deepEqual(scope.split(' ').sort(), ['users:read', 'users:write']);
    assert.equal((await refresh(service, held.of('used').refresh_token as string, web)).status, 400);
  });

  it('ends by logout and by revocation', async () => {
    const service = await taken();
    await request(service, '/v1/logout', { method: 'DELETE', token: login.access_token });
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    assert.equal((await refresh(service, legacyRefresh, web)).status, 400);
    const star = held.of('login_star');
    const form = { token: star.refresh_token as string, client_id: web.id, client_secret: web.secret };
    assert.equal((await request(service, '/v1/oauth/revoke', { form })).status, 200);
    assert.equal((await whoAmI(service, star.access_token)).status, 401);
  });

  it('expires at its own time, and the keys are deleted with the last token', async () => {
    const service = await taken();
    service.advance(31 * day);
    assert.equal((await refresh(service, legacyRefresh, web)).status, 400);
    assert.equal((await whoAmI(service, login.access_token)).status, 401);
    assert.equal((await whoAmI(service, held.of('personal').access_token)).status, 200);
    const { PassportTokens } = await import('../../extensions/passport/legacy-tokens/passport-tokens.ts');
    const tokens = new PassportTokens(service.context);
    const keys = async () =>
      (await service.context.database.db.selectFrom('legacy_keys').select('id').execute()).map(({ id }) => id).sort();
    await tokens.prune();
    assert.deepEqual(await keys(), ['app', 'ids', 'public']);
    service.advance(340 * day);
    assert.equal((await whoAmI(service, held.of('personal').access_token)).status, 401);
    await tokens.prune();
    assert.deepEqual(await keys(), ['ids']);
  });

  it('is not readable in the database: keys are encrypted, and token ids are not stored', async () => {
    const service = await taken();
    const { db } = service.context.database;
    const rows = JSON.stringify([
      await db.selectFrom('legacy_keys').selectAll().execute(),
      await db.selectFrom('legacy_tokens').selectAll().execute(),
    ]);
    assert.doesNotMatch(rows, /jEZ89HFot|BEGIN PUBLIC|afc8eea38b53353a/);
  });
});
