import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addClient } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { mailsTo, tokenMailed } from '../harness/mailbox.ts';
import { password, patchUser, personalClient, personalToken, registerUser, stateOf } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const adminPassword = 'correct horse battery';
const login = '/v1/clients/web/admin/login';

onBothEngines('A disabled user', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start();
    admin = await logIn(service, 'admin@example.com', adminPassword);
  });
  const disable = async (id: string, disabled = true) => {
    const { status, body } = await patchUser(service, id, { disabled }, admin);
    assert.deepEqual([status, body.data.disabled], [200, disabled]);
  };
  const eventsOf = async (userId: string) => {
    const { db } = service.context.database;
    return (await db.selectFrom('events').select('type').where('user_id', '=', userId).execute()).map((e) => e.type);
  };

  it('gets the same error as for a wrong password', async () => {
    const ada = await registerUser(service);
    await disable(ada.id);
    const right = await request(service, login, { json: { email: ada.email, password } });
    const wrong = await request(service, login, { json: { email: ada.email, password: 'a wrong guess' } });
    assert.equal(right.status, 400);
    assert.deepEqual(right.body, wrong.body);
    const visitor = new Visitor(service);
    const page = await visitor.signIn(ada.email, password);
    assert.equal(page.status, 422);
    assert.match(page.html, /the password is wrong/);
    // It also counts as one, so that the response to many guesses reveals nothing either.
    for (let n = 0; n < 8; n++) await request(service, login, { json: { email: ada.email, password } });
    assert.equal((await request(service, login, { json: { email: ada.email, password } })).status, 429);
    assert.ok((await eventsOf(ada.id)).includes('user.disabled'));
  });

  it('loses all tokens immediately, and later regains all except sessions', async () => {
    const ada = await registerUser(service);
    const { body: tokens } = await request<{ refresh_token: string }>(service, login, {
      json: { email: ada.email, password },
    });
    const pat = await personalToken(service, ada.token);
    const client = await personalClient(service, ada.token);
    const ofClient = (await client.grant()).body;
    for (const token of [ada.token, pat, ofClient.access_token]) assert.equal(await stateOf(service, token), '200');

    await disable(ada.id);
    for (const token of [ada.token, pat, ofClient.access_token]) {
      assert.equal(await stateOf(service, token), '401 user_gone');
    }
    const refresh = () =>
      request<{ error: string }>(service, '/v1/clients/web/admin/refresh', {
        json: { refresh_token: tokens.refresh_token },
      });
    assert.equal((await refresh()).body.error, 'invalid_grant');
    assert.equal((await client.grant()).body.error, 'invalid_client');

    await disable(ada.id, false);
    assert.equal(await stateOf(service, pat), '200');
    assert.equal((await client.grant()).status, 200);
    assert.equal(await stateOf(service, ada.token), '401 token_revoked', 'sessions have ended permanently');
    assert.equal((await refresh()).body.error, 'invalid_grant');
    assert.equal(await stateOf(service, ofClient.access_token), '401 token_revoked');
    assert.ok(await logIn(service, ada.email, password));
    assert.ok((await eventsOf(ada.id)).includes('user.enabled'));
  });

  it('has no active token at introspection', async () => {
    const ada = await registerUser(service);
    const pat = await personalToken(service, ada.token);
    const client = await personalClient(service, ada.token);
    const ofClient = (await client.grant()).body.access_token;
    const asker = await addClient(service, { scopes: ['tokens:introspect'] });
    const active = async (token: string) => {
      const form = { token, client_id: asker.id, client_secret: asker.secret };
      return (await request<{ active: boolean }>(service, '/v1/oauth/introspect', { form })).body.active;
    };
    for (const token of [ada.token, pat, ofClient]) assert.equal(await active(token), true);
    await disable(ada.id);
    for (const token of [ada.token, pat, ofClient]) assert.equal(await active(token), false);
  });

  it('gets no link for a new password, and cannot use one', async () => {
    const ada = await registerUser(service);
    await request(service, '/v1/password/resets', { json: { email: ada.email } });
    const token = await tokenMailed(service, 'reset-password', ada.email);
    await disable(ada.id);
    const reset = await request(service, `/v1/password/resets/${token}`, { json: { password: 'another fine secret' } });
    assert.equal(reset.status, 404);
    assert.equal((await request(service, '/v1/password/resets', { json: { email: ada.email } })).status, 202);
    assert.equal((await mailsTo(service, 'reset-password', ada.email)).length, 1);
    await disable(ada.id, false);
    assert.ok(await logIn(service, ada.email, password));
  });

  it('can be disabled and found only by administrators', async () => {
    const ada = await registerUser(service);
    assert.equal((await patchUser(service, ada.id, { disabled: true }, ada.token)).status, 403);
    assert.equal((await patchUser(service, ada.id, { disabled: false }, ada.token)).status, 200);
    await disable(ada.id);
    const { body } = await request<{ data: { id: string; disabled: boolean }[] }>(
      service,
      '/v1/users?search=disabled:true&limit=100',
      {
        token: admin,
      },
    );
    assert.ok(body.data.some(({ id }) => id === ada.id));
    assert.ok(body.data.every(({ disabled }) => disabled));
    assert.equal(
      (await request(service, `/v1/users/${ada.id}`, { token: admin })).status,
      200,
      'the user keeps their data',
    );
  });

  it('is never the last administrator', async () => {
    const own = await start();
    const boss = await logIn(own, 'admin@example.com', adminPassword);
    const { body } = await request<{ data: { id: string } }>(own, '/v1/users/me', { token: boss });
    const { id } = body.data;
    const last = await patchUser(own, id, { disabled: true }, boss);
    assert.deepEqual([last.status, last.body.code], [409, 'last_administrator']);
    const ada = await registerUser(own);
    await patchUser(own, ada.id, { roles: ['admin'], disabled: true }, boss);
    assert.equal(
      (await patchUser(own, id, { disabled: true }, boss)).status,
      409,
      'a disabled administrator does not count',
    );
    assert.equal((await patchUser(own, id, { roles: [] }, boss)).status, 409);
    const gone = await request(own, '/v1/users/me', {
      method: 'DELETE',
      json: { current_password: adminPassword },
      token: boss,
    });
    assert.equal(gone.status, 409);
    await patchUser(own, ada.id, { disabled: false }, boss);
    assert.equal((await patchUser(own, id, { disabled: true }, boss)).status, 200);
    assert.equal(await stateOf(own, boss), '401 user_gone');
  });

  it('is refused on every instance before the administrator gets the response', async () => {
    if (engine === 'sqlite') return;
    const other = await start({ database: service.database });
    const ada = await registerUser(service);
    const pat = await personalToken(service, ada.token);
    assert.equal(await stateOf(other, pat), '200');
    await disable(ada.id);
    assert.equal(await stateOf(other, pat), '401 user_gone');
    assert.equal(await stateOf(other, ada.token), '401 user_gone');
  });
});
