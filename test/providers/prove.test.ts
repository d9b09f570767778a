import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { formOf } from '../harness/authorizing.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { addApp } from '../harness/factors.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { newcomer, pathIn, signInWith } from '../harness/provider-visits.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Upstream, upstreams } from '../harness/upstream.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('A user without a password renews a proof', (engine) => {
  const start = services(engine);
  const createDatabase = databases(engine);
  const createUpstream = upstreams();
  let upstream: Upstream;
  let service: Service;
  before(async () => {
    upstream = await createUpstream();
    const database = await createDatabase();
    service = await start({
      database,
      env: { PROVIDERS_DIR: upstream.declare(database.dir, 'acme', ''), EMAIL_CODES: 'on' },
    });
  });

  let people = 0;
  const person = () => ({
    ...{ sub: `prover-${people}`, email: `prover${people++}@example.com`, email_verified: true, name: 'Ada' },
    auth_time: Math.floor(service.context.now() / 1000),
  });
  const tokenOf = (visitor: Visitor) => visitor.cookies.get('session') ?? '';
  const session = async (visitor: Visitor) =>
    (
      await request<{ data: { amr: string[]; acr: string; auth_time: string } }>(service, '/v1/sessions/current', {
        token: tokenOf(visitor),
      })
    ).body.data;
  const isFresh = async (visitor: Visitor) =>
    (await request(service, '/v1/tokens', { json: { name: 'CI' }, token: tokenOf(visitor) })).status === 201;
  const atProvider = async (visitor: Visitor) => {
    const { location } = await visitor.get('/login/with/acme/prove');
    upstream.person = { ...upstream.person, auth_time: Math.floor(service.context.now() / 1000) };
    return visitor.get(pathIn(await upstream.visit(location)));
  };

  it('at the provider and with the app, after a sign-in with both', async () => {
    upstream.person = person();
    const first = await newcomer(service, upstream);
    const { app } = await addApp(service, { token: tokenOf(first.visitor) });
    const visitor = new Visitor(service);
    const step = await signInWith(visitor, upstream);
    const { mfa_token = '' } = formOf(step);
    await visitor.send('/login-step', { mfa_token, methods: 'totp', code: app.next() });
    assert.equal((await session(visitor)).acr, 'urn:gatehouse:2');

    service.advance(901_000);
    assert.equal(await isFresh(visitor), false);
    const asked = await atProvider(visitor);
    assert.equal(asked.status, 200, asked.html);
    assert.match(asked.html, /name="proof_code"/);
    assert.equal(await isFresh(visitor), false, 'the provider counts as one factor');
    const { proof_provider = '' } = formOf(asked);
    const send = (fields: Record<string, string>) => visitor.send('/login/with/acme/prove', fields);
    const wrong = await send({ proof_provider, proof_code: '000000' });
    assert.deepEqual([wrong.status, formOf(wrong).proof_provider], [422, proof_provider]);
    await first.visitor.get('/settings/tokens/new');
    const stolen = await first.visitor.send('/login/with/acme/prove', { proof_provider, proof_code: app.next() });
    assert.equal(stolen.status, 422, 'the proof counts for one session');
    const proved = await send({ proof_provider, proof_code: app.next() });
    assert.equal(proved.status, 200, proved.html);
    assert.match(proved.html, /Thank you/);
    assert.equal(await isFresh(visitor), true);
    assert.deepEqual((await session(visitor)).amr, ['otp', 'fed', 'mfa']);
    assert.equal((await send({ proof_provider, proof_code: app.next() })).status, 422, 'the code works once');
    service.advance(901_000);
    assert.equal((await send({ proof_code: app.next() })).status, 200, 'the code completes the sign-in');
    assert.deepEqual((await session(visitor)).amr, ['fed', 'otp', 'mfa']);
  });

  it('at the provider only from a page of this service, not from a link elsewhere', async () => {
    upstream.person = person();
    const { visitor } = await newcomer(service, upstream);
    const path = '/login/with/acme/prove';
    for (const site of ['cross-site', 'same-site', 'none']) {
      const asked = await visitor.get(path, { 'sec-fetch-site': site });
      assert.deepEqual([asked.status, asked.location], [200, null], site);
      assert.match(asked.html, new RegExp(`href="${path}">Confirm with Acme<`), site);
    }
    const started = await visitor.get(path, { 'sec-fetch-site': 'same-origin' });
    assert.equal(new URL(String(started.location)).origin, new URL(upstream.url).origin);
  });

  it('with a mailed code from the page, which keeps the typed values', async () => {
    upstream.person = person();
    const email = String(upstream.person.email);
    const { visitor } = await newcomer(service, upstream);
    service.advance(901_000);
    await visitor.get('/settings/tokens/new');
    const typed = { name: 'Mine', access: 'all', days: '30' };
    const asked = await visitor.send('/settings/tokens', typed);
    assert.match(asked.html, /name="proof_send_email"/);
    const sent = await visitor.send('/settings/tokens', { ...formOf(asked), proof_send_email: 'on' });
    assert.equal(sent.status, 200, sent.html);
    const mail = (await mailsTo(service, 'email-code', email)).at(-1);
    const code = /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? '';
    const other = code === '000000' ? '000001' : '000000';
    const wrong = await visitor.send('/settings/tokens', { ...formOf(sent), proof_email_code: other });
    assert.equal(wrong.status, 422);
    const done = await visitor.send('/settings/tokens', { ...formOf(wrong), proof_email_code: code });
    assert.ok(done.status < 400 && done.html.includes('Mine'), done.html);
  });
});
