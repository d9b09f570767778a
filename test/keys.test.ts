import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { rotateKeys } from '../extensions/admin-commands/revoke-everything.ts';
import { systemSource as source } from '../src/http/request-source.ts';
import { handleTokenRequest } from '../src/oauth/token-endpoint.ts';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { gatehouse } from './harness/command.ts';
import { onBothEngines } from './harness/engines.ts';
import { mailedLink } from './harness/mailed-link.ts';
import { type JsonResponse, request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

onBothEngines('Keys that an operator rotates during the run of a service', (engine) => {
  const start = services(engine);
  const rotate = async ({ database, context }: Service, ...options: string[]) => {
    const env = { DATABASE_URL: database.url, DATA_DIR: database.dir, BASE_URL: context.config.baseUrl };
    const { code, stdout, stderr } = await gatehouse(['keys', 'rotate', ...options], database.dir, env);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const login = async ({ url }: Service, email: string) =>
    (await request({ url }, '/v1/clients/web/admin/login', { form: { email, password } })).body as Record<
      'access_token' | 'refresh_token',
      string
    >;
  const refresh = ({ url }: Service, refresh_token: string) =>
    request({ url }, '/v1/clients/web/admin/refresh', { form: { refresh_token } });
  const credentials = ({ id, secret }: { id: string; secret: string }) => ({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  /** The keys that sign access tokens. */
  const kids = async ({ url }: Service) =>
    ((await request({ url }, '/.well-known/jwks.json')).body.keys as { kid: string; kty: string }[])
      .filter(({ kty }) => kty === 'EC')
      .map(({ kid }) => kid);
  const keptSecret = ({ database }: Service) =>
    JSON.parse(readFileSync(join(database.dir, 'clients.json'), 'utf8'))['web/admin'] as { id: string; secret: string };

  it('are published at the next request for them, even by an idle service', async () => {
    const service = await start();
    const before = await kids(service);
    await rotate(service);
    const after = await kids(service);
    assert.equal(after.length, 2);
    await rotate(service, '--compromised');
    const last = await kids(service);
    assert.equal(last.length, 1);
    assert.ok(![...before, ...after].includes(last[0] as string));
  });

  it('invalidate everything that compromised keys signed, for each of thirty concurrent requests', async () => {
    const service = await start();
    const { url, context } = service;
    const { id, email } = await addLogin(service, { roles: ['admin'] });
    const client = await addClient(service);
    const [first, second] = [await login(service, email), await login(service, email)];
    const personal = await request({ url }, '/v1/tokens', {
      token: first.access_token,
      json: { name: 'mine', scopes: ['*'] },
    });
    const issued = await request({ url }, '/v1/oauth/token', { form: credentials(client) });
    await request({ url }, '/v1/password/resets', { json: { email } });
    const link = await mailedLink(service, 'reset-password', email);
    for (const token of [first, second])
      assert.equal((await request({ url }, '/v1/users', { token: token.access_token })).status, 200);

    const output = await rotate(service, '--compromised');
    const stolen = [
      first.access_token,
      second.access_token,
      (personal.body.data as { access_token: string }).access_token,
    ];
    const attempts = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        request({ url }, '/v1/clients', { token: stolen[i % stolen.length] as string, json: { name: 'a thief' } }),
      ),
    );
    assert.deepEqual([...new Set(attempts.map(({ status }) => status))], [401]);
    const clients = await context.database.db.selectFrom('clients').select('name').execute();
    assert.ok(!clients.some(({ name }) => name === 'a thief'));

    assert.equal((await request({ url }, '/v1/users', { token: String(issued.body.access_token) })).status, 401);
    for (const token of [first, second])
      assert.equal((await refresh(service, token.refresh_token)).body.error, 'invalid_grant');
    const secret = await request({ url }, '/v1/oauth/token', { form: credentials(client) });
    assert.equal(secret.body.error, 'invalid_client');
    const value = link.split('/').at(-1) as string;
    const reset = await request({ url }, `/v1/password/resets/${value}`, { json: { password: 'another long one' } });
    assert.equal(reset.body.code, 'link_invalid');
    assert.match(output, /personal access tokens are invalid/);
    assert.match(output, /npx gatehouse-server client secret ID/);
    const live = await context.database.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    assert.deepEqual(live, []);

    const anew = await login(service, email);
    assert.equal((await request({ url }, '/v1/users', { token: anew.access_token })).status, 200);
    assert.equal((await refresh(service, anew.refresh_token)).status, 200);
  });

  it('give the clients of the settings a new secret after a compromise', async () => {
    const service = await start();
    const { url } = service;
    const before = keptSecret(service);
    const asWebAdmin = (client: { id: string; secret: string }) =>
      request({ url }, '/v1/oauth/introspect', {
        form: { client_id: client.id, client_secret: client.secret, token: 'x' },
      });
    assert.equal((await asWebAdmin(before)).status, 200);
    await rotate(service);
    assert.equal((await asWebAdmin(before)).status, 200, 'an ordinary rotation does not change the secret');
    await rotate(service, '--compromised');
    assert.equal((await asWebAdmin(before)).status, 401);
    while (keptSecret(service).secret === before.secret) await new Promise((resolve) => setImmediate(resolve));
    let response = await asWebAdmin(keptSecret(service));
    while (response.status === 401) response = await asWebAdmin(keptSecret(service));
    assert.equal(response.status, 200);
  });

  it('keep all users signed in after an ordinary rotation', async () => {
    const service = await start({ env: { REFRESH_TOKEN_TTL: '864000' } });
    const { url } = service;
    const { email } = await addLogin(service, { roles: ['admin'] });
    const client = await addClient(service);
    const tokens = await login(service, email);
    const key = { 'idempotency-key': 'one-and-only' };
    const make = (token: string) => request({ url }, '/v1/clients', { token, headers: key, json: { name: 'once' } });
    const idOf = (response: JsonResponse) => (response.body.data as { id: string }).id;
    const made = await make(tokens.access_token);
    await rotate(service);
    service.advance(11 * 60_000);
    assert.equal((await request({ url }, '/v1/users', { token: tokens.access_token })).status, 200);
    assert.equal(idOf(await make(tokens.access_token)), idOf(made), 'a retry returns the row of the first attempt');
    service.advance(5 * 86_400_000);
    assert.equal((await refresh(service, tokens.refresh_token)).status, 200);
    service.advance(300 * 86_400_000);
    await rotate(service);
    const form = credentials(client);
    assert.equal((await request({ url }, '/v1/oauth/token', { form })).status, 200, 'secrets stay valid');
  });

  it('invalidate a secret that was checked just before they were replaced', async () => {
    const service = await start();
    const { context, keys, oauth, clients } = service;
    const client = await addClient(service);
    const authenticate = async (id: string, secret: string) => {
      const found = await clients.authenticate(id, secret);
      await rotateKeys(context, keys, { source, compromised: true });
      return found;
    };
    const slow = Object.assign(Object.create(clients), { authenticate });
    const response = handleTokenRequest(
      { ...oauth, clients: slow },
      { authorization: undefined, body: credentials(client), source },
    );
    await assert.rejects(response, { error: 'invalid_client' });
  });
});
