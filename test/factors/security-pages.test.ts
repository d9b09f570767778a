import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { generateSync } from 'otplib';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('The factor pages', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const field = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  const codeNow = (secret: string) => generateSync({ secret, epoch: Math.floor(service.context.now() / 1000) });

  const leave = ({ cookies }: Visitor) => {
    for (const name of ['session', 'renewal']) cookies.delete(name);
  };

  /** Sets up an authenticator app without scripts, and returns its secret and the recovery codes. */
  async function setUpApp(visitor: Visitor) {
    await visitor.get('/settings/security');
    const made = await visitor.send('/settings/security/authenticators', {});
    assert.equal(made.status, 200, made.html);
    assert.match(made.html, /src="data:image\/svg\+xml;base64,/);
    const secret = field(made.html, 'secret');
    const [, action = ''] = /action="([^"]+\/confirm)"/.exec(made.html) ?? [];
    const wrong = await visitor.send(action, { secret, code: '000000' });
    assert.equal(wrong.status, 422);
    const confirmed = await visitor.send(action, { secret, code: codeNow(secret) });
    const codes = confirmed.html.match(/(?<![\w-])[a-z2-7]{4}(-[a-z2-7]{4}){3}(?![\w-])/g) as string[];
    return { secret, codes: [...new Set(codes)] };
  }

  it('set up an app, ask for its code at the next login, accept a recovery code, and remember the browser', async () => {
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    assert.match((await visitor.get('/settings')).html, /Protect your account/);
    const { secret, codes } = await setUpApp(visitor);
    assert.equal(codes.length, 10);
    assert.doesNotMatch((await visitor.get('/settings')).html, /Protect your account/);

    const other = new Visitor(service);
    const step = await other.signIn(email, password, '/settings/tokens');
    assert.equal(step.status, 200);
    assert.equal(other.cookies.has('session'), false);
    const mfa_token = field(step.html, 'mfa_token');
    const form = { mfa_token, methods: field(step.html, 'methods'), next: '/settings/tokens' };
    const wrong = await other.send('/login-step', { ...form, code: '000000' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /The code is wrong/);
    service.advance(30_000);
    const done = await other.send('/login-step', { ...form, code: codeNow(secret), remember: 'on' });
    assert.deepEqual([done.status, done.location], [303, '/settings/tokens']);
    const again = await other.send('/login-step', { ...form, code: codes[0] as string });
    assert.match(String(again.location), /done=login-expired/);
    // The browser is remembered, listed and forgotten.
    leave(other);
    assert.equal((await other.signIn(email, password)).status, 303);
    const page = await other.get('/settings/security');
    const [, forget = ''] = /action="([^"]+browsers\/[^"]+\/remove)"/.exec(page.html) ?? [];
    assert.equal((await other.send(forget, {})).status, 303);
    leave(other);
    const third = await other.signIn(email, password);
    const recover = { mfa_token: field(third.html, 'mfa_token'), methods: field(third.html, 'methods') };
    assert.equal((await other.send('/login-step', { ...recover, code: codes[1] as string })).status, 303);
  });

  it('postpone the offer', async () => {
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    assert.match((await visitor.get('/settings')).html, /Protect your account/);
    await visitor.send('/settings/security/later', {});
    assert.doesNotMatch((await visitor.get('/settings')).html, /Protect your account/);
  });

  it('let users who need a factor only set one up', async () => {
    const strict = await start({ env: { MFA: 'required' } });
    const { email } = await addLogin(strict);
    const visitor = new Visitor(strict);
    const first = await visitor.signIn(email, password, '/settings/tokens');
    assert.equal(first.location, '/settings/security');
    assert.equal((await visitor.get('/settings/tokens')).location, '/settings/security');
    const page = await visitor.get('/settings/security');
    assert.equal(page.status, 200);
    assert.match(page.html, /asks for a second factor/);
    const made = await visitor.send('/settings/security/authenticators', {});
    assert.equal(made.status, 200);
  });
});
