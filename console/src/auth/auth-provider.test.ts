import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError, SignedOutError } from '../../../client/errors.ts';
import { fakeService, problem, type Reply, type Seen, tokens } from '../../../client/fake-service.ts';
import { createGatehouse } from '../../../client/gatehouse.ts';
import { describe } from '../data/descriptions.ts';
import { createAuthProvider, whoAmI } from './auth-provider.ts';
import { tokenOfPage } from './page-session.ts';
import { SignInPrompt } from './prompts.ts';

const descriptions = [describe({ name: 'events', fields: {}, operations: ['list', 'find'] })];

async function console(response: (seen: Seen) => Reply) {
  const { url, seen } = await fakeService(response);
  const signInPrompt = new SignInPrompt(() => tokenOfPage(url, fetch));
  const gatehouse = createGatehouse({ baseUrl: url, renew: signInPrompt.renew, retryDelays: [] });
  return { seen, gatehouse, signInPrompt, auth: createAuthProvider(gatehouse, signInPrompt, descriptions, me) };
}

const me = { id: 'u1', email: 'ada@example.com', username: null, phone: null, name: null, roles: ['admin'] };
const signedIn = ({ path }: Seen): Reply => (path === '/admin/token' ? tokens(1) : { body: { data: me } });

test("the session of the page is the console's: no second login", async () => {
  const { auth, gatehouse, seen } = await console(signedIn);
  await auth.checkAuth({});
  assert.deepEqual(await whoAmI(gatehouse), me);
  assert.deepEqual(await auth.getIdentity?.(), { id: 'u1', fullName: 'ada@example.com' });
  assert.deepEqual(await auth.getPermissions?.({}), ['admin']);
  assert.deepEqual(
    seen.map(({ method, path }) => `${method} ${path}`),
    ['POST /admin/token', 'GET /v1/users/me'],
  );
  assert.equal(seen[1]?.headers.authorization, 'Bearer access-1');
});

test('a page whose session is over is sent to the login page, which means signed out here', async () => {
  const { auth } = await console(() => ({ status: 302, headers: { location: '/login' } }));
  await assert.rejects(auth.checkAuth({}), /session is over/);
});

test('a service that is down is not a logout', async () => {
  const { auth } = await console(() => ({ status: 503, body: { title: 'Down', code: 'unavailable', detail: 'down' } }));
  await assert.rejects(auth.checkAuth({}), { code: 'unavailable' });
});

test('logging out ends the session at the service', async () => {
  const { auth, seen } = await console(signedIn);
  await auth.checkAuth({});
  await auth.logout({});
  assert.deepEqual(seen.map(({ method, path }) => `${method} ${path}`).at(-1), 'DELETE /v1/logout');
});

test('logging out of an ended session does not ask for a new sign-in', async () => {
  let hasEnded = false;
  const { auth, signInPrompt } = await console((seen) => {
    if (!hasEnded) return signedIn(seen);
    return seen.path === '/admin/token' ? { status: 302, headers: { location: '/login' } } : problem(401, 'invalid');
  });
  signInPrompt.begin();
  await auth.checkAuth({});
  hasEnded = true;
  const asked = new Promise<string>((resolve) => signInPrompt.subscribe(() => resolve('asked')));
  assert.equal(await Promise.race([auth.logout({}).then(() => 'logged out'), asked]), 'logged out');

  // A later request asks again.
  const request = signInPrompt.renew();
  await asked;
  signInPrompt.abandon();
  await assert.rejects(request, SignedOutError);
});

test('only the end of the login logs out: forbidden, missing and failed do not', async () => {
  const { auth } = await console(signedIn);
  const refused = (status: number) => new ProblemError('no', { status, code: 'x' });
  for (const status of [403, 404, 412, 500]) await auth.checkError(refused(status));
  await assert.rejects(auth.checkError(refused(401)));
  await assert.rejects(auth.checkError(new SignedOutError('over', { status: 401, code: 'signed_out' })));
});

test('what a resource does not offer is not offered', async () => {
  const { auth } = await console(signedIn);
  const may = (action: string) => auth.canAccess?.({ action, resource: 'events' });
  assert.deepEqual(await Promise.all(['list', 'show', 'create', 'edit', 'delete'].map(may)), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
