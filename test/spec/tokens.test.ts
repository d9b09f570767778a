import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import { admin, passwordGrant, register, requestTokens, specServices, type Tokens, webAdmin } from './sender.ts';

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
  readonly type: string;
}

const members = ['access_token', 'expires_in', 'refresh_token', 'token_type'];

onBothEngines('The specification of tokens', (engine) => {
  const start = specServices(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  function assertTokens({ status, body, headers }: JsonResponse<Tokens>): void {
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(Object.keys(body).sort(), members);
    assert.equal(body.token_type, 'Bearer');
    assert.ok(Number.isInteger(body.expires_in));
    assert.equal(body.access_token.split('.').length, 3, 'a JWT-shaped string');
    assert.equal(typeof body.refresh_token, 'string');
  }
  const statusWith = async (token: string) => (await request(service, '/v1/users', { token })).status;
  const personalClient = async (token: string): Promise<Client> => {
    const made = await request<{ data: Client }>(service, '/v1/clients', { json: { name: 'CI' }, token });
    assert.equal(made.status, 201, made.text);
    return made.body.data;
  };
  const third = async (client: Client) => {
    const { client_id, client_secret } = client;
    return requestTokens(service, { grant_type: 'client_credentials', client_id, client_secret, scope: '' });
  };

  it('2.1, 4.1: the password grant returns the token response', async () => {
    assertTokens(await passwordGrant(service));
  });

  it('4.1: scope may be empty or absent in each grant', async () => {
    const { email: username, password } = admin;
    const granted = await requestTokens(service, { grant_type: 'password', username, password, ...webAdmin });
    assertTokens(granted);
    const { refresh_token } = granted.body;
    assertTokens(await requestTokens(service, { grant_type: 'refresh_token', refresh_token, ...webAdmin, scope: '' }));
  });

  it('4.1: each required parameter of the table is required', async () => {
    const { email: username, password } = admin;
    const whole: Record<string, string> = { grant_type: 'password', username, password, ...webAdmin };
    for (const name of Object.keys(whole)) {
      const { [name]: _left, ...rest } = whole;
      const { status, body } = await requestTokens<{ error: string }>(service, rest);
      assert.ok(status === 400 || status === 401, name);
      assert.equal(typeof body.error, 'string', name);
    }
    const { refresh_token } = (await passwordGrant(service)).body;
    const refresh: Record<string, string> = { grant_type: 'refresh_token', refresh_token, ...webAdmin };
    for (const name of Object.keys(refresh)) {
      const { [name]: _left, ...rest } = refresh;
      assert.notEqual((await requestTokens(service, rest)).status, 200, name);
    }
  });

  it('4.1: the client is authenticated before the user', async () => {
    const wrong = { ...webAdmin, client_secret: 'wrong' };
    const { status, body } = await requestTokens<{ error: string }>(service, {
      grant_type: 'password',
      username: 'nobody@example.com',
      password: 'wrong',
      ...wrong,
    });
    assert.deepEqual([status, body.error], [401, 'invalid_client']);
  });

  it('2.2, 4.1, 5.5: a third-party client uses the client-credentials grant, and its refresh token', async () => {
    const { tokens } = await register(service, `third-${engine}@example.com`);
    const client = await personalClient(tokens.access_token);
    assert.equal(client.type, 'personal');
    const granted = await third(client);
    assertTokens(granted);
    assert.equal(await statusWith(granted.body.access_token), 200);
    const { client_id, client_secret } = client;
    const { refresh_token } = granted.body;
    assertTokens(
      await requestTokens(service, { grant_type: 'refresh_token', refresh_token, client_id, client_secret }),
    );
  });

  it('1, 4.1: each kind of client has its grants', async () => {
    const { tokens } = await register(service, `kinds-${engine}@example.com`);
    const { client_id, client_secret } = await personalClient(tokens.access_token);
    const { email: username, password } = admin;
    const crossed: Record<string, string>[] = [
      { grant_type: 'password', username, password, client_id, client_secret },
      { grant_type: 'client_credentials', ...webAdmin },
    ];
    for (const form of crossed) {
      const { status, body } = await requestTokens<{ error: string }>(service, form);
      assert.deepEqual([status, body.error], [400, 'unauthorized_client']);
    }
  });

  it('5.6: a refresh returns a new access token and a new refresh token', async () => {
    const first = (await passwordGrant(service)).body;
    const { refresh_token } = first;
    const next = await requestTokens(service, { grant_type: 'refresh_token', refresh_token, ...webAdmin, scope: '' });
    assertTokens(next);
    assert.notEqual(next.body.access_token, first.access_token);
    assert.notEqual(next.body.refresh_token, first.refresh_token);
  });

  it('4.1: there is no session state; each request contains its own token', async () => {
    const { access_token } = (await passwordGrant(service)).body;
    assert.equal(await statusWith(access_token), 200);
    assert.equal((await request(service, '/v1/users')).status, 401);
  });

  it('4.1, contract 3: a Bearer header at the token endpoint is ignored', async () => {
    const { access_token } = (await passwordGrant(service)).body;
    const { email: username, password } = admin;
    const form = { grant_type: 'password', username, password, ...webAdmin, scope: '' };
    for (const token of [access_token, 'left over']) {
      const { status, body } = await request<Tokens>(service, '/v1/oauth/token', { form, token });
      assert.equal(status, 200, JSON.stringify(body));
    }
    const basic = `Basic ${Buffer.from(`${webAdmin.client_id}:${webAdmin.client_secret}`).toString('base64')}`;
    const twice = await request(service, '/v1/oauth/token', { form, headers: { authorization: basic } });
    assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request']);
  });

  it('2.4, 3, 4.4: logout revokes the presented access token, with and without the trailing slash', async () => {
    for (const path of ['/v1/logout/', '/v1/logout']) {
      const { access_token } = (await passwordGrant(service)).body;
      const { status, body } = await request(service, path, { method: 'DELETE', token: access_token });
      assert.deepEqual([status, body], [200, { message: 'Token revoked successfully.' }]);
      assert.equal(await statusWith(access_token), 401);
    }
    assert.equal((await request(service, '/v1/logout/', { method: 'DELETE' })).status, 401);
  });
});
