import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addApp, tryLogin } from '../harness/factors.ts';
import { addOwner, grantClient, type Owner, rowOf, rowsOf } from '../harness/owners.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const stale = 901_000;
const prove = '/v1/sessions/current/proofs';

/** The 401 of RFC 9470. */
function expectTooOld({ status, headers, body }: JsonResponse, what: string): void {
  assert.deepEqual([status, body.code], [401, 'proof_too_old'], `${what}: ${JSON.stringify(body)}`);
  const challenge = headers.get('www-authenticate') ?? '';
  assert.match(challenge, /^Bearer error="insufficient_user_authentication",.* max_age="900"/, what);
}

onBothEngines('An outdated proof', (engine) => {
  const start = services(engine);
  let service: Service;
  let other: { id: string };
  before(async () => {
    service = await start();
    other = await addLogin(service);
  });

  const requestAs = (
    method: string,
    path: string,
    { token }: Pick<Owner, 'token'>,
    json?: unknown,
  ): Promise<JsonResponse> => request(service, path, { method, token, ...(json === undefined ? {} : { json }) });

  /** An owner with a valid access token and an old login. `first` creates something before that. */
  async function staleOwner(roles: string[] = []): Promise<Owner> {
    const owner = await addOwner(service, roles);
    service.advance(stale);
    return owner;
  }

  /** Every operation of the API that requires a recent proof. */
  async function sensitive(admin: Owner): Promise<[what: string, method: string, path: string, body: object][]> {
    const { id } = rowOf(await requestAs('POST', '/v1/clients', admin, { name: 'Mine', current_password: password }));
    const userPath = `/v1/users/${other.id}`;
    const row = { name: 'CI' };
    return [
      ['a personal access token', 'POST', '/v1/tokens', row],
      ['a client', 'POST', '/v1/clients', row],
      ['a client under its user', 'POST', `/v1/users/${admin.id}/clients`, row],
      ['a changed client', 'PATCH', `/v1/clients/${id}`, { name: 'Other' }],
      ['a replaced client', 'PUT', `/v1/clients/${id}`, { name: 'Other' }],
      ['a secret', 'POST', `/v1/clients/${id}/secrets`, {}],
      ['a webhook', 'POST', '/v1/webhooks', { url: 'https://hooks.example/', resources: ['users'] }],
      ['roles', 'PATCH', userPath, { roles: ['admin'] }],
      ['a user with roles', 'POST', '/v1/users', { email: 'x@example.com', password, roles: ['admin'] }],
      ['an invitation with roles', 'POST', '/v1/invitations', { email: 'y@example.com', roles: ['admin'] }],
      ['a password', 'PATCH', userPath, { password: 'another long password' }],
      ['an address', 'PATCH', userPath, { email: 'new@example.com' }],
      ['disabling', 'PATCH', userPath, { disabled: true }],
      ['deleting', 'DELETE', userPath, {}],
    ];
  }

  it('cannot create anything that outlives or widens the session', async () => {
    const admin = await staleOwner(['admin']);
    for (const [what, method, path, body] of await sensitive(admin)) {
      expectTooOld(await requestAs(method, path, admin, body), what);
    }
    assert.equal((await requestAs('GET', '/v1/users/me', admin)).status, 200, 'everything else works');
    assert.equal((await requestAs('PATCH', '/v1/users/me', admin, { name: 'Ada' })).status, 200);
  });

  it('is refused for each row of a batch', async () => {
    const owner = await staleOwner();
    const row = { name: 'One' };
    const rows = [row, { name: 'Two' }];
    const response = await requestAs('POST', '/v1/tokens/batches', owner, { rows });
    const results = response.body.data as { status: number; error: { code: string; max_age: number } }[];
    assert.deepEqual(
      results.map(({ status, error }) => [status, error.code, error.max_age]),
      rows.map(() => [401, 'proof_too_old', 900]),
    );
    const proved = await requestAs('POST', '/v1/tokens/batches', owner, { rows: [row], current_password: password });
    assert.deepEqual((proved.body.data as { status: number }[])[0]?.status, 201, JSON.stringify(proved.body));
  });

  it('is renewed by the password, and the same token keeps working', async () => {
    const owner = await staleOwner();
    expectTooOld(await requestAs('POST', '/v1/tokens', owner, { name: 'CI' }), 'before');
    const wrong = await requestAs('POST', prove, owner, { password: 'not the password' });
    assert.deepEqual([wrong.status, (wrong.body.errors as { code: string }[])[0]?.code], [422, 'wrong']);
    expectTooOld(await requestAs('POST', '/v1/tokens', owner, { name: 'CI' }), 'after a wrong one');
    const { status, body, headers } = await requestAs('POST', prove, owner, { password });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(headers.get('cache-control'), 'no-store');
    const { auth_time, ...how } = body.data as Record<string, unknown>;
    assert.deepEqual(how, { amr: ['pwd'], acr: 'urn:gatehouse:1' });
    assert.ok(Math.abs(Date.parse(String(auth_time)) - service.context.now()) < 60_000);
    assert.equal((await requestAs('POST', '/v1/tokens', owner, { name: 'CI' })).status, 201);
    const current = await requestAs('GET', '/v1/sessions/current', owner);
    assert.equal(rowOf(current).auth_time, auth_time);
    assert.ok((rowOf(current).proof_methods as string[]).includes('password'));
  });

  it('is renewed by a code alone if two factors opened the session, and never by the password alone', async () => {
    const { email, token: early } = await addOwner(service);
    const { app, codes } = await addApp(service, { token: early });
    const { mfa_token } = (await tryLogin(service, { email, password })).body;
    const owner = { token: (await tryLogin(service, { mfa_token, code: app.next() })).body.access_token };
    service.advance(stale);
    const refused = await requestAs('POST', '/v1/tokens', owner, { name: 'CI', current_password: password });
    expectTooOld(refused, 'the password along with the request');
    assert.match(refused.headers.get('www-authenticate') ?? '', /acr_values="urn:gatehouse:2"/);
    const byPassword = await requestAs('POST', prove, owner, { password });
    expectTooOld(byPassword, 'the password');
    assert.deepEqual([byPassword.body.max_age, byPassword.body.acr_values], [900, 'urn:gatehouse:2']);
    for (const code of [app.next(), codes[0]]) {
      expectTooOld(await requestAs('POST', '/v1/tokens', owner, { name: 'CI' }), 'before');
      const { status, body } = await requestAs('POST', prove, owner, { code });
      assert.equal(status, 201, JSON.stringify(body));
      const { amr, acr } = body.data as Record<string, unknown>;
      assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], 'urn:gatehouse:2']);
      assert.equal((await requestAs('POST', '/v1/tokens', owner, { name: 'CI' })).status, 201);
      assert.equal((await requestAs('POST', prove, owner, { code })).status, 422, 'a code works once');
      service.advance(stale);
    }
  });

  it('is renewed on every instance before the response', async () => {
    const second = await start({ database: service.database });
    second.advance(0);
    const owner = await staleOwner();
    // The clock of this instance is behind, and its cache contains the old proof.
    const before = await request(second, '/v1/sessions/current', { token: owner.token });
    await requestAs('POST', prove, owner, { password });
    const after = await request(second, '/v1/sessions/current', { token: owner.token });
    assert.notEqual(rowOf(after).auth_time, rowOf(before).auth_time);
  });

  it('is accepted with current_password, which counts only for that request', async () => {
    const admin = await staleOwner(['admin']);
    for (const [what, method, path, body] of await sensitive(admin)) {
      if (what === 'deleting') continue;
      const response = await requestAs(method, path, admin, { ...body, current_password: password });
      assert.ok(response.status < 300, `${what}: ${response.status} ${JSON.stringify(response.body)}`);
      expectTooOld(await requestAs('POST', '/v1/tokens', admin, { name: 'CI' }), `after ${what}`);
    }
    const wrong = await requestAs('POST', '/v1/tokens', admin, { name: 'CI', current_password: 'wrong password' });
    assert.deepEqual([wrong.status, (wrong.body.errors as { code: string }[])[0]?.code], [422, 'wrong']);
    const gone = await addLogin(service);
    const deleted = await requestAs('DELETE', `/v1/users/${gone.id}`, admin, { current_password: password });
    assert.equal(deleted.status, 204, JSON.stringify(deleted.body));
  });

  it('is not renewed by a refresh', async () => {
    const { email } = await addLogin(service);
    const login = await request(service, '/v1/clients/web/admin/login', { json: { email, password } });
    service.advance(stale);
    const { body } = await request(service, '/v1/clients/web/admin/refresh', {
      json: { refresh_token: login.body.refresh_token },
    });
    const token = String(body.access_token);
    expectTooOld(await requestAs('POST', '/v1/tokens', { token }, { name: 'CI' }), 'after a refresh');
  });

  it('is never fresh for a personal access token or a client’s own token', async () => {
    const owner = await addOwner(service);
    const { access_token } = rowOf(await requestAs('POST', '/v1/tokens', owner, { name: 'CI' }));
    const personal = { token: String(access_token) };
    const made = rowOf(await requestAs('POST', '/v1/clients', owner, { name: 'Mine' }));
    const client = { token: String((await grantClient(service, made, made.client_secret)).body.access_token) };
    expectTooOld(await requestAs('POST', '/v1/tokens', personal, { name: 'More' }), 'a personal access token');
    const refused = await requestAs('POST', '/v1/tokens', personal, { name: 'More', current_password: password });
    expectTooOld(refused, 'with the password');
    assert.match(String(refused.body.detail), /cannot prove your identity\. Sign in\.$/);
    assert.match(refused.headers.get('www-authenticate') ?? '', /a client's own token cannot prove your identity/);
    const change = { current_password: password, password: 'the next long password' };
    expectTooOld(await requestAs('PATCH', '/v1/users/me', personal, change), 'its own password');
    const deletion = { current_password: password };
    expectTooOld(await requestAs('DELETE', '/v1/users/me', personal, deletion), 'its own account');
    for (const [method, body] of [
      ['PATCH', change],
      ['DELETE', deletion],
    ] as const) {
      const wrong = await requestAs(method, '/v1/users/me', personal, { ...body, current_password: 'a wrong one' });
      expectTooOld(wrong, 'a wrong password gets the same response');
    }
    const username = `ada-${Date.now()}`;
    const guessed = await requestAs('PATCH', '/v1/users/me', personal, { current_password: 'a wrong one', username });
    assert.equal(guessed.status, 422);
    const renamed = await requestAs('PATCH', '/v1/users/me', personal, { current_password: password, username });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    for (const caller of [personal, client]) {
      assert.equal((await requestAs('POST', prove, caller, { password })).status, 403);
    }
    assert.ok((await requestAs('POST', '/v1/tokens', client, { name: 'More' })).status >= 401);
  });

  it('does not reveal the first token', async () => {
    const email = `first-${Date.now()}@example.com`;
    await request(service, '/v1/register', { json: { email, password } });
    const login = await request(service, '/v1/clients/web/admin/login', { json: { email, password } });
    const owner = { token: String(login.body.access_token) };
    const [token] = rowsOf(await requestAs('GET', '/v1/tokens?search=type:personal', owner));
    service.advance(stale);
    const path = `/v1/tokens/${token?.id}/values`;
    expectTooOld(await requestAs('POST', path, owner), 'reveal');
    const revealed = await requestAs('POST', path, owner, { current_password: password });
    assert.equal(revealed.status, 200, JSON.stringify(revealed.body));
  });

  it('is accepted with FRESH_PROOF=0', async () => {
    const free = await start({ env: { FRESH_PROOF: '0' } });
    const owner = await addOwner(free);
    free.advance(stale);
    const made = await request(free, '/v1/tokens', { token: owner.token, json: { name: 'CI' } });
    assert.equal(made.status, 201);
    const json = { current_password: password, password: 'the next long password' };
    const token = String(rowOf(made).access_token);
    assert.equal((await request(free, '/v1/users/me', { method: 'PATCH', token, json })).status, 200);
  });

  it('ends tokens and secrets with a new password and end_tokens', async () => {
    const owner = await addOwner(service);
    const { access_token } = rowOf(await requestAs('POST', '/v1/tokens', owner, { name: 'CI' }));
    const made = rowOf(await requestAs('POST', '/v1/clients', owner, { name: 'Mine' }));
    const change = { current_password: password, password: 'the next long password' };
    assert.equal((await requestAs('PATCH', '/v1/users/me', owner, change)).status, 200);
    assert.equal((await requestAs('GET', '/v1/users/me', { token: String(access_token) })).status, 200);
    const again = { current_password: change.password, password: 'one more long password', end_tokens: true };
    assert.equal((await requestAs('PATCH', '/v1/users/me', owner, again)).status, 200);
    assert.equal((await requestAs('GET', '/v1/users/me', { token: String(access_token) })).status, 401);
    assert.equal((await grantClient(service, made, made.client_secret)).status, 401);
    assert.equal((await requestAs('GET', '/v1/users/me', owner)).status, 200);
  });
});
