import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuthError, ProblemError, SignedOutError, UnreachableError } from './errors.ts';
import { fakeService, problem, type Reply, type Seen, tokens } from './fake-service.ts';
import { createGatehouse, type GatehouseOptions } from './gatehouse.ts';
import { memoryStore } from './login.ts';

const gatehouse = (baseUrl: string, more: GatehouseOptions = {}) =>
  createGatehouse({ baseUrl, proxy: 'web/admin', retryDelays: [1, 1], ...more });

const bearer = ({ headers }: Seen) => headers.authorization;
const list: Reply = { body: { data: [], meta: { pagination: { total: 0, count: 0, per_page: 20 } } } };

/** The login returns token 1, and the refresh returns token 2. Only token 2 is accepted. */
const afterRefresh = (seen: Seen): Reply => {
  if (seen.path.endsWith('/login')) return tokens(1);
  if (seen.path.endsWith('/refresh')) return tokens(2);
  return bearer(seen) === 'Bearer access-2' ? list : problem(401, 'token_expired');
};

test('a login sends the credentials to the proxy once, and calls carry the token', async () => {
  const { url, seen } = await fakeService((call) => (call.path.endsWith('/login') ? tokens(1) : list));
  const client = gatehouse(url);
  await client.login({ email: 'a@example.com', password: 'pw' });
  await client.resource('cars').list({ limit: 5 });
  assert.deepEqual(
    seen.map(({ method, path, body }) => ({ method, path, body })),
    [
      { method: 'POST', path: '/v1/clients/web/admin/login', body: { email: 'a@example.com', password: 'pw' } },
      { method: 'GET', path: '/v1/cars?limit=5', body: undefined },
    ],
  );
  assert.equal(seen[1] && bearer(seen[1]), 'Bearer access-1');
  assert.ok(seen.every(({ headers }) => headers.accept === 'application/json, application/problem+json'));
});

test('wrong credentials are an OAuth error, and are not tried again', async () => {
  const { url, seen } = await fakeService(() => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: 'The credentials are wrong.' },
  }));
  await assert.rejects(gatehouse(url).login({ username: 'a', password: 'b' }), (error) => {
    assert.ok(error instanceof OAuthError);
    assert.equal(error.code, 'invalid_grant');
    assert.equal(error.message, 'The credentials are wrong.');
    return true;
  });
  assert.equal(seen.length, 1);
});

test('a login asks for the second factor, and again after a wrong code', async () => {
  const { url, seen } = await fakeService(({ body }) => {
    const { mfa_token, code } = body as { mfa_token?: string; code?: string };
    if (mfa_token === undefined) {
      return { status: 403, body: { error: 'mfa_required', mfa_token: 'half', methods: ['totp', 'recovery_code'] } };
    }
    return code === '123456' ? tokens(1) : { status: 400, body: { error: 'invalid_grant' } };
  });
  const requests: unknown[] = [];
  const client = gatehouse(url, {
    async onSecondFactor({ methods, mfaToken, error }) {
      requests.push([methods, mfaToken, error?.code]);
      return error ? { code: '123456', remember: true } : { code: '000000' };
    },
  });
  await client.login({ email: 'a@example.com', password: 'pw' });
  const methods = ['totp', 'recovery_code'];
  assert.deepEqual(requests, [
    [methods, 'half', undefined],
    [methods, 'half', 'invalid_grant'],
  ]);
  assert.deepEqual(seen.at(-1)?.body, { mfa_token: 'half', code: '123456', remember: true });
  const givesUp = gatehouse(url, { onSecondFactor: async () => undefined });
  const isRefused = (error: unknown) => error instanceof OAuthError && error.code === 'mfa_required';
  await assert.rejects(givesUp.login({ email: 'a@example.com', password: 'pw' }), isRefused);
  await assert.rejects(gatehouse(url).login({ email: 'a@example.com', password: 'pw' }), isRefused);
});

test('many calls that meet an expired token share one refresh, and all succeed', async () => {
  const { url, seen } = await fakeService(afterRefresh);
  const client = gatehouse(url);
  await client.login({ email: 'a@example.com', password: 'pw' });
  await Promise.all(Array.from({ length: 8 }, () => client.resource('cars').list()));
  assert.equal(seen.filter(({ path }) => path.endsWith('/refresh')).length, 1);
});

test('a token is refreshed before it ends, without a refused call first', async () => {
  let clock = 0;
  const { url, seen } = await fakeService(afterRefresh);
  const client = gatehouse(url, { now: () => clock });
  await client.login({ email: 'a@example.com', password: 'pw' });
  clock = 3595_000;
  await client.resource('cars').list();
  assert.deepEqual(
    seen.map(({ path }) => path.split('/').at(-1)),
    ['login', 'refresh', 'cars'],
  );
});

test('a refresh that is refused ends the login and says so once', async () => {
  let signedOut = 0;
  const { url } = await fakeService(({ path }) => {
    if (path.endsWith('/login')) return tokens(1);
    if (path.endsWith('/refresh')) return { status: 400, body: { error: 'invalid_grant' } };
    return problem(401, 'token_revoked');
  });
  const client = gatehouse(url, { onSignedOut: () => signedOut++ });
  await client.login({ email: 'a@example.com', password: 'pw' });
  const calls = await Promise.allSettled([client.resource('cars').list(), client.resource('owners').list()]);
  for (const call of calls) assert.ok(call.status === 'rejected' && call.reason instanceof SignedOutError);
  assert.equal(signedOut, 1);
  assert.equal(await client.resume(), false);
});

test('a service that is down during a refresh does not end the login', async () => {
  let down = true;
  const { url } = await fakeService((seen) => {
    if (seen.path.endsWith('/refresh') && down) return problem(503, 'unavailable');
    return afterRefresh(seen);
  });
  const client = gatehouse(url, { retryDelays: [] });
  await client.login({ email: 'a@example.com', password: 'pw' });
  await assert.rejects(client.resource('cars').list(), { code: 'unavailable' });
  down = false;
  assert.deepEqual((await client.resource('cars').list()).data, []);
});

test('a response to a refresh that is not from the service does not end the login', async () => {
  let captive = true;
  const { url } = await fakeService((seen) => {
    if (seen.path.endsWith('/refresh') && captive) return { headers: { 'content-type': 'text/html' } };
    return afterRefresh(seen);
  });
  const client = gatehouse(url, { retryDelays: [] });
  await client.login({ email: 'a@example.com', password: 'pw' });
  await assert.rejects(client.resource('cars').list(), { code: 'unreachable' });
  captive = false;
  assert.deepEqual((await client.resource('cars').list()).data, []);
});

test('without cookies the refresh token goes to the store and into the body', async () => {
  const store = memoryStore();
  const { url, seen } = await fakeService(afterRefresh);
  const client = gatehouse(url, { refreshTokens: store });
  assert.equal(await client.resume(), false);
  assert.equal(seen.length, 0, 'an empty store needs no call');
  await client.login({ email: 'a@example.com', password: 'pw' });
  await client.resource('cars').list();
  assert.deepEqual(seen.find(({ path }) => path.endsWith('/refresh'))?.body, { refresh_token: 'refresh-1' });
  assert.equal(store.read(), 'refresh-2');
});

test('a token can come from elsewhere than the proxy, refreshed by the same rules', async () => {
  let made = 0;
  const { url, seen } = await fakeService(afterRefresh);
  const client = gatehouse(url, {
    renew: async () => ({ access_token: `access-${++made}`, expires_in: 60 }),
  });
  await Promise.all([client.resource('cars').list(), client.resource('cars').list()]);
  assert.equal(made, 2, 'one for the start, one for the refusal, shared by both calls');
  assert.ok(seen.every(({ path }) => path === '/v1/cars'));
});

test('logout revokes at the service and forgets here, even a refresh that ends late', async () => {
  const held = Promise.withResolvers<void>();
  const { url, seen } = await fakeService(async (call) => {
    if (call.path.endsWith('/refresh')) await held.promise;
    if (call.method === 'DELETE') return { body: { message: 'Token revoked successfully.' } };
    return afterRefresh(call);
  });
  const store = memoryStore();
  const client = gatehouse(url, { refreshTokens: store });
  await client.login({ email: 'a@example.com', password: 'pw' });
  const late = client.resource('cars').list();
  while (!seen.some(({ path }) => path.endsWith('/refresh'))) await new Promise(setImmediate);
  await client.logout();
  held.resolve();
  await assert.rejects(late, SignedOutError);
  const revoked = seen.find(({ method }) => method === 'DELETE');
  assert.equal(revoked?.path, '/v1/logout');
  assert.equal(revoked && bearer(revoked), 'Bearer access-1');
  assert.equal(store.read(), undefined);
});

test('a refresh that is refused late does not end the login that was made meanwhile', async () => {
  const held = Promise.withResolvers<void>();
  const { url, seen } = await fakeService(async ({ path }) => {
    if (path.endsWith('/login')) return tokens(1);
    if (!path.endsWith('/refresh')) return list;
    await held.promise;
    return { status: 400, body: { error: 'invalid_grant' } };
  });
  const client = gatehouse(url);
  const early = client.resource('cars').list();
  while (seen.length === 0) await new Promise(setImmediate);
  await client.login({ email: 'a@example.com', password: 'pw' });
  held.resolve();
  assert.deepEqual((await early).data, []);
  assert.deepEqual((await client.resource('cars').list()).data, []);
  assert.equal(seen.filter(({ path }) => path.endsWith('/refresh')).length, 1);
});

test('a problem keeps its code, its fields and its request id', async () => {
  const { url } = await fakeService(() =>
    problem(422, 'validation_failed', {
      errors: [{ field: 'plate', code: 'required', message: 'plate is required.' }],
    }),
  );
  await assert.rejects(gatehouse(url, { accessToken: 't' }).resource('cars').create({}), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual(error.fields, [{ field: 'plate', code: 'required', message: 'plate is required.' }]);
    assert.equal(error.requestId, 'request-7');
    return true;
  });
});

test('a response of a proxy is distinguished from one of Gatehouse', async () => {
  const { url } = await fakeService(() => ({ status: 404, headers: { 'content-type': 'text/html' } }));
  await assert.rejects(gatehouse(url, { accessToken: 't' }).resource('cars').list(), UnreachableError);
});

test('a POST without a response is sent again under the same key; a PATCH is not', async () => {
  let broken = 1;
  const { url, seen } = await fakeService(() =>
    broken-- > 0 ? { hangUp: true } : { status: 201, body: { data: { id: '1' } } },
  );
  const cars = gatehouse(url, { accessToken: 't' }).resource('cars');
  await cars.create({ plate: 'B 1' });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 2);
  assert.ok(keys[0]);
  assert.equal(keys[0], keys[1]);
  await cars.create({ plate: 'B 2' });
  assert.notEqual(seen[2]?.headers['idempotency-key'], keys[0]);
  broken = 1;
  await assert.rejects(cars.patch('1', { plate: 'B 3' }), { code: 'unreachable' });
  assert.equal(seen.length, 4);
});

test('Retry-After is honoured when short, and left to the caller when long', async () => {
  let refusals = 1;
  let wait = '0';
  const { url, seen } = await fakeService(() =>
    refusals-- > 0 ? problem(429, 'too_many_requests', {}, { 'retry-after': wait }) : list,
  );
  const cars = gatehouse(url, { accessToken: 't' }).resource('cars');
  await cars.list();
  assert.equal(seen.length, 2);
  refusals = 1;
  wait = '900';
  await assert.rejects(cars.list(), { code: 'too_many_requests', retryAfter: 900 });
  assert.equal(seen.length, 3);
});

test('a tag from a get guards the write, and ids are escaped in paths', async () => {
  const { url, seen } = await fakeService(({ method }) =>
    method === 'GET'
      ? { headers: { etag: '"v1"' }, body: { data: { id: 'a/b' } } }
      : problem(412, 'precondition_failed'),
  );
  const cars = gatehouse(url, { accessToken: 't' }).resource('cars');
  const { etag } = await cars.get('a/b', { include: ['owner'] });
  await assert.rejects(cars.patch('a/b', { seats: 3 }, { ifMatch: etag }), {
    code: 'precondition_failed',
    status: 412,
  });
  assert.deepEqual(
    seen.map(({ path, headers }) => [path, headers['if-match']]),
    [
      ['/v1/cars/a%2Fb?include=owner', undefined],
      ['/v1/cars/a%2Fb', '"v1"'],
    ],
  );
});

test('each() walks the cursor to its end', async () => {
  const { url, seen } = await fakeService(({ path }) => {
    const cursor = new URL(path, 'http://x').searchParams.get('cursor');
    const next = cursor === '' ? 'two' : null;
    return { body: { data: [{ id: cursor }], meta: { pagination: { count: 1, per_page: 100, next_cursor: next } } } };
  });
  const ids: unknown[] = [];
  for await (const { id } of gatehouse(url, { accessToken: 't' })
    .resource('owners')
    .of<{ id: string }>('7', 'cars')
    .each())
    ids.push(id);
  assert.deepEqual(ids, ['', 'two']);
  assert.equal(seen[0]?.path, '/v1/owners/7/cars?limit=100&cursor=');
});

test('an aborted call is the abort, not a network failure, and is not repeated', async () => {
  const { url, seen } = await fakeService(() => new Promise(() => undefined));
  const abort = new AbortController();
  const call = gatehouse(url, { accessToken: 't' }).resource('cars').list({}, { signal: abort.signal });
  while (seen.length === 0) await new Promise(setImmediate);
  abort.abort();
  await assert.rejects(call, { name: 'AbortError' });
  assert.equal(seen.length, 1);
});
