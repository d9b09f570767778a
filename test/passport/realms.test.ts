import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { insertIdentity } from '../../extensions/providers/sign-in/identity-store.ts';
import { makeArgon2, writeArgon2 } from '../../src/identity/passwords/password-hash.ts';
import { authorizationResponseIn, authorizePath, codeFor, redeem, redirectUri } from '../harness/authorizing.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addPasskey, challengeFor } from '../harness/factors.ts';
import { isSignedIn, newcomer } from '../harness/provider-visits.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, mappedScopes, refresh, runImport, setClock, whoAmI } from './run-import.ts';

const held = heldByClients('passport10');
const password = 'a password of the old service';
const hash = writeArgon2(makeArgon2(Buffer.from(password)));
const clients = {
  users: { id: '2', secret: held.secretOf('2') },
  admins: { id: '3', secret: held.secretOf('3') },
  adminsApp: { id: '20', secret: 'secret-of-the-app' },
  adminsServer: { id: '22', secret: 'secret-of-the-server' },
};
const [user, admin] = ['ada@example.com', 'admin-ada@example.com'];
/** Two tables of users with the same ids. Clients 1, 3, 20 and 22 are for `admins`. */
const twoTables = `create table admins as select * from users; update admins set email = 'admin-' || email;
  update users set password = '${hash}'; update admins set password = '${hash}';
  update oauth_clients set provider = 'admins' where id = 1;
  update oauth_clients set provider = 'admins', password_client = 1 where id = 3;
  insert into oauth_clients (id, name, secret, provider, redirect, personal_access_client, password_client, revoked) values
    (20, 'Back office', '${clients.adminsApp.secret}', 'admins', '${redirectUri}', 0, 0, 0),
    (22, 'Server', '${clients.adminsServer.secret}', 'admins', '', 0, 0, 0)`;
const options = {
  scopes: mappedScopes,
  providers: new Map([['admins', 'admins']]),
  clientScopes: new Map([
    ['22', 'tokens:exchange'],
    ['*', 'users:read'],
  ]),
};

onBothEngines('A client for the users of one table', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let service: Service;
  before(async () => {
    const old = await make();
    service = await start({ env: { FRESH_PROOF: '0', MFA: 'off' } });
    setClock(service);
    await old.run(twoTables);
    assert.deepEqual((await runImport(service, old, options)).decisions, []);
  });
  const tokens = (form: Record<string, string>, { id, secret }: { id: string; secret: string }) =>
    request<{ access_token: string; refresh_token: string; error: string }>(service, '/oauth/token', {
      form: { ...form, client_id: id, client_secret: secret },
    });
  const logIn = async (username: string, client: { id: string; secret: string }) => {
    const response = await tokens({ grant_type: 'password', username, password }, client);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const visitorOf = async (email: string) => {
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    assert.ok(isSignedIn(visitor), email);
    return visitor;
  };

  it('refuses other users before the consent page', async () => {
    for (const more of [{}, { prompt: 'consent' }, { prompt: 'none' }]) {
      const { status, location, html } = await (await visitorOf(user)).get(
        authorizePath('20', { scope: 'openid users:read', ...more }),
      );
      assert.equal(status, 302, html);
      const error = 'prompt' in more && more.prompt === 'none' ? 'consent_required' : 'access_denied';
      assert.equal(authorizationResponseIn({ location }).error, error);
    }
    const code = await codeFor(await visitorOf(admin), '20', { scope: 'openid users:read' });
    const { status, body, text } = await redeem(service, clients.adminsApp, code);
    assert.equal(status, 200, text);
    assert.equal((await whoAmI(service, body.access_token)).body.data.email, admin);
  });

  it('refuses other users on the device page', async () => {
    const form = { client_id: '20', client_secret: clients.adminsApp.secret, scope: 'openid users:read' };
    const begun = await request<{ user_code: string }>(service, '/oauth/device_authorization', { form });
    assert.equal(begun.status, 200, begun.text);
    const { user_code } = begun.body;
    for (const [email, status] of [
      [user, 403],
      [admin, 200],
    ] as const) {
      const visitor = await visitorOf(email);
      await visitor.get('/device');
      const shown = await visitor.send('/device', { user_code });
      assert.equal(shown.status, status, shown.html);
      assert.equal(shown.html.includes('Back office'), status === 200);
    }
  });

  it('refuses passkeys of other users', async () => {
    const { access_token: token } = await logIn(user, clients.users);
    const { device } = await addPasskey(service, { token });
    const byPasskey = async (client: { id: string; secret: string }) => {
      const passkey = JSON.stringify(device.get(await challengeFor(service, {})));
      return tokens({ grant_type: 'urn:gatehouse:passkey', passkey }, client);
    };
    const other = await byPasskey(clients.admins);
    assert.deepEqual([other.status, other.body.error], [400, 'invalid_grant'], other.text);
    const own = await byPasskey(clients.users);
    assert.equal(own.status, 200, own.text);
  });

  it('does not exchange tokens of other users', async () => {
    const exchange = async (subject_token: string) =>
      tokens(
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          subject_token,
        },
        clients.adminsServer,
      );
    const other = await exchange((await logIn(user, clients.users)).access_token);
    assert.deepEqual([other.status, other.body.error], [400, 'invalid_grant'], other.text);
    const own = await exchange((await logIn(admin, clients.admins)).access_token);
    assert.equal(own.status, 200, own.text);
  });

  it('recognizes the owners of personal access tokens', async () => {
    const { status, body } = await whoAmI(service, held.of('personal').access_token);
    assert.deepEqual([status, body.data.email], [200, admin]);
    const { access_token: token } = await logIn(user, clients.users);
    const made = await request<{ data: { access_token: string } }>(service, '/v1/tokens', {
      token,
      json: { name: 'own' },
    });
    assert.equal((await whoAmI(service, made.body.data.access_token)).body.data.email, user);
  });

  it('ends the session of a user who moves to another table, also at a refresh', async () => {
    const { access_token, refresh_token } = await logIn('admin-alan@example.com', clients.admins);
    const { db } = service.context.database;
    await db.updateTable('users').set({ realm: 'users' }).where('email', '=', 'admin-alan@example.com').execute();
    assert.equal((await refresh(service, refresh_token, clients.admins)).status, 400);
    const seen = await request<{ active: boolean }>(service, '/oauth/introspect', {
      form: { token: access_token, client_id: '3', client_secret: clients.admins.secret },
    });
    assert.equal(seen.body.active, false);
  });

  it('keeps its realm in the console', async () => {
    const { access_token: token } = await logIn(user, clients.users);
    const { body } = await request<{ data: { realm: string } }>(service, '/v1/clients/20', { token });
    assert.equal(body.data.realm, 'admins');
    const json = { name: 'Mine', realm: 'users' };
    for (const [path, method] of [
      ['/v1/clients/20', 'PATCH'],
      ['/v1/clients', 'POST'],
    ] as const) {
      const { status, text } = await request(service, path, { method, token, json });
      assert.ok(status >= 400 && status < 500, text);
    }
  });

  it('refuses other users who sign in with a provider', async () => {
    const [database, old, upstream] = [await createDatabase(), await make(), await createUpstream()];
    const on = await start({
      database,
      env: {
        PROVIDERS_DIR: upstream.declare(database.dir, 'acme'),
        CLIENT_WEB_ID: '2',
        CLIENT_WEB_SECRET: clients.users.secret,
      },
    });
    setClock(on, Date.now());
    await old.run(twoTables);
    await runImport(on, old, options);
    const { db } = on.context.database;
    for (const email of [user, admin]) {
      const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
      const identity = { provider: 'acme', issuer: upstream.url, subject: email, email };
      await db.transaction().execute((tx) => insertIdentity(tx, identity, { userId: id, now: 1 }));
    }
    for (const [email, signsIn] of [
      [admin, false],
      [user, true],
    ] as const) {
      upstream.person = { sub: email, email, email_verified: true };
      const { visitor, visit } = await newcomer(on, upstream);
      assert.equal(isSignedIn(visitor), signsIn, visit.html);
      const login = await request(on, '/v1/clients/web/login', { json: { email, password } });
      assert.equal(login.status === 200, signsIn, login.text);
    }
  });
});
