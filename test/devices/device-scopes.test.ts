import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addApplication } from '../harness/applications.ts';
import { onBothEngines } from '../harness/engines.ts';
import { password, registerUser } from '../harness/people.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

interface Token {
  readonly access_token: string;
}

onBothEngines('The scopes that a device gets', (engine) => {
  const start = services(engine);

  /** Requests codes for a public application with these scopes. */
  const begin = async (service: Service, scopes: readonly string[]) => {
    const { id: client_id } = await addApplication(service, { public: true, scopes });
    const form = { client_id, scope: scopes.join(' ') };
    const { body } = await request<Record<'device_code' | 'user_code', string>>(
      service,
      '/oauth/device_authorization',
      { form },
    );
    return { client_id, ...body };
  };

  it('are only scopes that the session of the user has', async () => {
    const service = await start();
    const { email } = await registerUser(service);
    const json = { email, password, scope: 'users:read' };
    const narrow = await request<Token>(service, '/v1/clients/web/admin/login', { json });
    const visitor = new Visitor(service);
    visitor.cookies.set('session', narrow.body.access_token);
    const { user_code, ...device } = await begin(service, ['openid', 'users:read', 'users:write', '*']);
    await visitor.get('/device');
    const page = await visitor.send('/device', { user_code });
    assert.deepEqual(
      [...page.html.matchAll(/name="scope:([^"]+)"/g)].map(([, scope]) => scope),
      ['users:read'],
    );
    const boxes = { 'scope:users:read': 'on', 'scope:users:write': 'on', 'scope:*': 'on' };
    await visitor.send('/device/decision', { user_code, decision: 'allow', ...boxes });
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', ...device };
    const { body } = await request<Token>(service, '/oauth/token', { form });
    const { scope } = JSON.parse(Buffer.from(body.access_token.split('.')[1] as string, 'base64url').toString());
    assert.deepEqual(scope.split(' ').sort(), ['openid', 'users:read']);
  });

  it('are those of the user if the device requests all scopes', async () => {
    const service = await start({
      env: { ROLES: 'guest,editor', ROLE_SCOPES: 'guest=openid; editor=users:read users:write' },
    });
    const scopesOn = async (page: string) =>
      [...page.matchAll(/name="scope:([^"]+)"/g)].map(([, scope]) => scope).sort();
    const pageOf = async (role: string) => {
      const { id, email } = await registerUser(service);
      const { db } = service.context.database;
      await db
        .updateTable('users')
        .set({ roles: JSON.stringify([role]) })
        .where('id', '=', id)
        .execute();
      const { user_code } = await begin(service, ['*']);
      const visitor = new Visitor(service);
      await visitor.signIn(email, password);
      await visitor.get('/device');
      return visitor.send('/device', { user_code });
    };
    assert.deepEqual(await scopesOn((await pageOf('editor')).html), ['users:read', 'users:write']);
    assert.equal((await pageOf('guest')).status, 403, 'no scope is left');
  });

  it('are not scopes that the user loses during the decision', async () => {
    const service = await start({ env: { ROLES: 'guest', ROLE_SCOPES: 'guest=openid' } });
    const { id, email } = await registerUser(service);
    const { user_code } = await begin(service, ['openid', 'users:read']);
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    await visitor.get('/device');
    // Without an invalidation, only the check inside the write can refuse the decision.
    const { db } = service.context.database;
    await db.updateTable('users').set({ roles: '["guest"]' }).where('id', '=', id).execute();
    const decision = { user_code, decision: 'allow', 'scope:users:read': 'on' };
    assert.equal((await visitor.send('/device/decision', decision)).status, 403);
    assert.deepEqual(await db.selectFrom('consents').select('id').where('user_id', '=', id).execute(), []);
  });
});
