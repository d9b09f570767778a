import assert from 'node:assert/strict';
import { it } from 'node:test';
import { codeFor, redeem, redirectUri, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type OldDatabase, oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const secret = held.secretOf('2');

onBothEngines('Passport clients with a redirect URI', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');

  async function before(set: string): Promise<{ service: Service; old: OldDatabase }> {
    const [service, old] = [await start(), await make()];
    setClock(service);
    await old.run(`update oauth_clients set password_client = 0, ${set} where id = 2`);
    return { service, old };
  }
  const refresh = (service: Service, refresh_token: unknown, more: Record<string, string> = {}) =>
    request(service, '/oauth/token', {
      form: { grant_type: 'refresh_token', refresh_token: String(refresh_token), client_id: '2', ...more },
    });
  const clientOf = async ({ context }: Service) => {
    const clients = context.database.db.selectFrom('clients').selectAll().where('id', '=', '2');
    const { type, public: open, redirect_uris, scopes } = await clients.executeTakeFirstOrThrow();
    return { type, open, redirect_uris: JSON.parse(redirect_uris), scopes: JSON.parse(scopes) as string[] };
  };

  it('work without a secret if they had none, and nobody is signed out', async () => {
    const { service, old } = await before(
      `secret = null, redirect = '${redirectUri},http://old.example/cb,myapp://cb'`,
    );
    const report = await runImport(service, old, { scopes: mappedScopes });
    assert.ok(!JSON.stringify(report.signed_out).includes('no secret'));
    const decided = JSON.stringify(report.decisions);
    assert.ok(decided.includes('http://old.example/cb') && decided.includes('myapp://cb'), decided);
    const { scopes, ...client } = await clientOf(service);
    assert.deepEqual(client, { type: 'application', open: 1, redirect_uris: [redirectUri] });
    assert.ok(scopes.includes('offline_access'));

    const { access_token, refresh_token } = held.of('login_scoped');
    assert.equal((await whoAmI(service, access_token)).status, 200);
    const renewed = await refresh(service, refresh_token);
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal((await whoAmI(service, String(renewed.body.access_token))).status, 200);
    assert.equal((await refresh(service, renewed.body.refresh_token)).status, 200);
    assert.equal((await refresh(service, held.of('logged_out').refresh_token)).status, 400);

    const { visitor } = await signedIn(service);
    const code = await codeFor(visitor, '2', { scope: 'openid offline_access' });
    const tokens = await redeem(service, { id: '2' }, code);
    assert.ok(tokens.body.refresh_token, tokens.text);
  });

  it('need their secret if they had one, even if their access tokens were deleted', async () => {
    const { service, old } = await before(`redirect = '${redirectUri}'`);
    await old.run('delete from oauth_access_tokens');
    await runImport(service, old, { scopes: mappedScopes });
    const { refresh_token } = held.of('login_scoped');
    assert.equal((await refresh(service, refresh_token)).status, 401);
    const renewed = await refresh(service, refresh_token, { client_secret: secret });
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal((await refresh(service, renewed.body.refresh_token, { client_secret: secret })).status, 200);
  });

  it('become applications in a second pass if they got a redirect URI after the first', async () => {
    const { service, old } = await before(`secret = null, redirect = '${redirectUri}'`);
    await runImport(service, old, { scopes: mappedScopes });
    const { db } = service.context.database;
    const earlier = { type: 'personal', public: 0, redirect_uris: '[]', scopes: '["users:read"]' } as const;
    await db.updateTable('clients').set(earlier).where('id', '=', '2').execute();
    await db.updateTable('legacy_ids').set({ fingerprint: 'earlier' }).where('old_id', '=', '2').execute();
    await runImport(service, old, { scopes: mappedScopes });
    const { scopes, ...client } = await clientOf(service);
    assert.deepEqual(client, { type: 'application', open: 1, redirect_uris: [redirectUri] });
    assert.ok(scopes.includes('users:read') && scopes.includes('openid'));
    assert.equal((await refresh(service, held.of('login_scoped').refresh_token)).status, 200);
  });
});
