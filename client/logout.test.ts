import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeService, problem, type Seen, tokens } from './fake-service.ts';
import { createGatehouse } from './gatehouse.ts';
import { memoryStore } from './login.ts';

/** A service with one session, which a refresh token continues. An access token can be invalid while the session exists. */
async function sessionService() {
  const state = { exists: true, valid: 'access-1' };
  const fake = await fakeService(({ method, path, headers }: Seen) => {
    if (path.endsWith('/login')) return tokens(1);
    if (path.endsWith('/refresh')) {
      if (!state.exists) return { status: 400, body: { error: 'invalid_grant' } };
      state.valid = 'access-2';
      return tokens(2);
    }
    if (headers.authorization !== `Bearer ${state.valid}`) return problem(401, 'token_expired');
    if (method === 'DELETE') state.exists = false;
    return { body: {} };
  });
  return { ...fake, state };
}

const credentials = { email: 'a@example.com', password: 'pw' };
const verbs = (seen: Seen[]) => seen.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);

test('logout ends the session after the access token has expired', async () => {
  const { url, seen, state } = await sessionService();
  let time = 0;
  const store = memoryStore();
  const client = createGatehouse({ baseUrl: url, refreshTokens: store, now: () => time });
  await client.login(credentials);
  time = 3_600_000;
  state.valid = 'none';
  await client.logout();
  assert.equal(state.exists, false);
  assert.deepEqual(verbs(seen), ['POST login', 'POST refresh', 'DELETE logout']);
  assert.equal(store.read(), undefined);
  assert.equal(await client.resume(), false);
});

test('logout ends the session if the service refuses the access token', async () => {
  const { url, seen, state } = await sessionService();
  const client = createGatehouse({ baseUrl: url });
  await client.login(credentials);
  state.valid = 'none';
  await client.logout();
  assert.equal(state.exists, false);
  assert.deepEqual(verbs(seen), ['POST login', 'DELETE logout', 'POST refresh', 'DELETE logout']);
});

test('logout of a session that has ended elsewhere is no error, and does not report the end of the login', async () => {
  const { url, state } = await sessionService();
  let reports = 0;
  const client = createGatehouse({ baseUrl: url, onSignedOut: () => reports++ });
  await client.login(credentials);
  Object.assign(state, { exists: false, valid: 'none' });
  await client.logout();
  assert.equal(reports, 0);
});

test('logout fails if the service cannot be reached, and forgets the tokens', async () => {
  const { url, seen, state } = await sessionService();
  const store = memoryStore();
  let time = 0;
  let isCut = false;
  const client = createGatehouse({
    baseUrl: url,
    refreshTokens: store,
    now: () => time,
    retryDelays: [],
    fetch: async (address, init) => (isCut ? Promise.reject(new TypeError('cut')) : fetch(address, init)),
  });
  await client.login(credentials);
  time = 3_600_000;
  isCut = true;
  await assert.rejects(client.logout(), { code: 'unreachable' });
  assert.deepEqual([state.exists, store.read(), seen.length], [true, undefined, 1]);
});
