import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { checkProviders } from '../../extensions/providers/check-providers.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { password, registerUser } from '../harness/people.ts';
import { newcomer, pathIn, signInWith } from '../harness/provider-visits.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { declareProvider, type Upstream, upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';

interface Provider {
  readonly id: string;
  readonly label: string;
  readonly redirect_uri: string;
  readonly enabled: boolean;
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  readonly failure: string | null;
  readonly failure_detail: string | null;
  readonly secret_expires_at: string | null;
}
interface Finding {
  readonly part: string;
  readonly state: string;
  readonly summary: string;
}

const adminPassword = 'correct horse battery';
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const person = (name: string) => ({ sub: name, email: `${name}@example.com`, email_verified: true });

onBothEngines('The state of providers', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let service: Service;
  let other: Service;
  let admin: string;
  before(async () => {
    upstream = await createUpstream();
    const database = await createDatabase();
    upstream.declare(database.dir, 'off', `enabled: false, clientSecretExpires: '${inDays(-2)}'`);
    upstream.declare(database.dir, 'old', `clientSecretExpires: '${inDays(-1)}'`);
    const mapped = `clientSecretExpires: '${inDays(10)}', map: ({ roles }) => ({ roles })`;
    const PROVIDERS_DIR = upstream.declare(database.dir, 'acme', mapped);
    service = await start({ database, env: { PROVIDERS_DIR } });
    other = await start({ database, env: { PROVIDERS_DIR } });
    admin = await logIn(service, 'admin@example.com', adminPassword);
  });
  const stateOf = async (on: Service, id = 'acme') => {
    const token = await logIn(on, 'admin@example.com', adminPassword);
    return (await request<{ data: Provider }>(on, `/v1/providers/${id}`, { token })).body.data;
  };
  const events = async (type: string) =>
    (
      await request<{ data: { data: Record<string, unknown> }[] }>(service, `/v1/events?search=type:${type}`, {
        token: admin,
      })
    ).body.data.map(({ data }) => data);
  const administrator = async () => {
    const visitor = new Visitor(service);
    await visitor.signIn('admin@example.com', adminPassword);
    return visitor;
  };

  it('is shown only to administrators', async () => {
    const { body } = await request<{ data: Provider[] }>(service, '/v1/providers', { token: admin });
    assert.deepEqual(
      body.data.map(({ id, enabled }) => [id, enabled]),
      [
        ['acme', true],
        ['off', false],
        ['old', true],
      ],
    );
    const [acme] = body.data;
    assert.match(acme?.redirect_uri ?? '', /^http:.*\/login\/with\/acme\/callback$/);
    assert.equal(acme?.secret_expires_at?.slice(0, 10), inDays(10));
    assert.equal(acme?.last_success_at, null);
    const { token } = await registerUser(service);
    assert.equal((await request(service, '/v1/providers', { token })).status, 403);
    assert.equal((await events('provider.added')).length, 3, 'recorded once, although two instances started');
  });

  const failures: [code: string, status: number, break_: () => void][] = [
    ['client_rejected', 502, () => (upstream.refuses = 'invalid_client')],
    ['request_rejected', 502, () => (upstream.refuses = 'invalid_grant')],
    ['token_rejected', 502, () => (upstream.tamper = (claims) => (claims.aud = 'another'))],
    ['clock', 502, () => (upstream.tamper = (claims) => (claims.exp = 1))],
    ['declaration', 502, () => (upstream.person = { ...upstream.person, roles: ['king'] })],
  ];
  it('shows the last success and the last error on every instance', async () => {
    upstream.person = person('first');
    assert.equal((await newcomer(other, upstream)).visit.status, 303);
    assert.ok((await stateOf(service)).last_success_at);
    for (const [code, status, break_] of failures) {
      upstream.person = person(code);
      break_();
      assert.equal((await newcomer(other, upstream)).visit.status, status, code);
      upstream.refuses = undefined;
      upstream.tamper = undefined;
      const { failure, failure_detail, last_failure_at } = await stateOf(service);
      assert.deepEqual([failure, Boolean(last_failure_at), Boolean(failure_detail)], [code, true, true]);
    }
    assert.deepEqual(new Set((await events('provider.failed')).map(({ failure }) => failure)).size, failures.length);
    // An error in `map` follows the success, possibly in the same millisecond.
    await service.context.database.db
      .updateTable('providers')
      .set(({ ref }) => ({ last_success_at: ref('last_failure_at') }))
      .execute();
    const { body } = await request<{ data: { findings: Finding[] } }>(service, '/v1/diagnoses', { token: admin });
    const findings = body.data.findings
      .filter(({ part }) => part === 'providers')
      .map(({ state, summary }) => `${state} ${summary}`);
    assert.equal(findings.length, 3, findings.join('\n'));
    assert.match(findings.join('\n'), /notice the last sign-in with acme, at .*, failed: /);
    assert.match(findings.join('\n'), new RegExp(`notice the secret of acme expires on ${inDays(10)}`));
    assert.match(findings.join('\n'), new RegExp(`error the secret of old expired on ${inDays(-1)}`));
  });

  it('does not count a cancelled sign-in as an error', async () => {
    const { last_failure_at } = await stateOf(service);
    const visitor = new Visitor(service);
    const { location } = await visitor.get('/login/with/acme');
    const state = new URL(location ?? '').searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'access_denied', state, iss: upstream.url });
    assert.equal((await visitor.get(`/login/with/acme/callback?${query}`)).status, 400);
    assert.equal((await stateOf(service)).last_failure_at, last_failure_at);
  });

  it('has a test sign-in that changes nothing', async () => {
    const visitor = await administrator();
    const session = visitor.cookies.get('session');
    const tested = async () => {
      const page = await signInWith(visitor, upstream, '/login/with/acme/test');
      assert.equal(visitor.cookies.get('session'), session, 'the administrator stays signed in');
      return page.html;
    };
    upstream.person = { ...person('tester'), name: '<b>Tess</b>' };
    assert.match(await tested(), /would be registered/);
    assert.match(await tested(), /&lt;b&gt;Tess/);
    const found = await request<{ data: unknown[] }>(service, '/v1/users?search=email:tester@example.com', {
      token: admin,
    });
    assert.deepEqual(found.body.data, []);
    upstream.person = person('admin');
    assert.match(await tested(), /would have to prove that it is theirs/);
    upstream.person = person('first');
    assert.match(await tested(), /would be signed in to it/);
    upstream.refuses = 'invalid_client';
    assert.match(await tested(), /whether its secret is wrong or has expired/);
    upstream.refuses = undefined;
    upstream.person = { ...person('tester'), roles: ['king'] };
    assert.match(await tested(), /The declaration of the provider failed/);
    const results = (await events('provider.tested')).map(({ result }) => result);
    assert.deepEqual(results.sort(), ['client_rejected', 'declaration', 'ok', 'ok', 'ok', 'ok']);
  });

  it('lets only administrators test, and only in the session that began the test', async () => {
    const owner = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(owner.email, password);
    assert.equal((await visitor.get('/login/with/acme/test')).status, 403);
    const tester = await administrator();
    const callback = pathIn(await upstream.visit((await tester.get('/login/with/acme/test')).location));
    for (const name of ['session', 'renewal']) tester.cookies.delete(name);
    const refused = await tester.get(callback);
    assert.equal(refused.status, 400);
    assert.doesNotMatch(refused.html, /tester@example.com/);
  });

  it('is checked by doctor: clocks, secrets and redirect URIs', async () => {
    const findings = async (config = service.context.config) =>
      (await checkProviders(config)).map(({ state, summary }) => `${state} ${summary}`).join('\n');
    assert.match(await findings(), /ok acme responds; its redirect URI is http.*\/login\/with\/acme\/callback/);
    assert.match(await findings(), /error the secret of old expired/);
    assert.doesNotMatch(await findings(), /off/);
    upstream.ahead = 120_000;
    assert.match(await findings(), /notice the clocks of acme and this machine are 1[12]\d s apart/);
    upstream.ahead = 0;
    upstream.status = 500;
    assert.match(await findings(), /notice acme does not respond: .*status 500/);
    upstream.status = undefined;
    const { dir } = await createDatabase();
    const credentials = { clientId: 'gatehouse', clientSecret: 'upstream secret' };
    declareProvider(dir, { name: 'gone', issuer: 'https://gone.invalid', ...credentials });
    declareProvider(dir, { name: 'down', issuer: 'http://127.0.0.1:1', ...credentials });
    const providersDir = declareProvider(dir, { name: 'both', issuer: 'http://localhost:1', ...credentials });
    const causes = await findings({ ...service.context.config, providersDir });
    assert.match(causes, /gone does not respond: gone\.invalid: getaddrinfo (ENOTFOUND|EAI_AGAIN) gone\.invalid$/m);
    assert.match(causes, /down does not respond: 127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1$/m);
    assert.match(causes, /both does not respond: localhost:1: .*ECONNREFUSED/);
  });
});
