import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { mailedLink } from '../harness/mailed-link.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('Registration and mailed links on the pages', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('registers, signs in and continues to the destination', async () => {
    const visitor = new Visitor(service);
    assert.match((await visitor.get('/login?next=/settings/tokens')).html, /\/register\?next=%2Fsettings%2Ftokens/);
    await visitor.get('/register?next=/settings/tokens');
    const fields = { name: 'Ada', email: 'Ada@Example.com', password, next: '/settings/tokens' };
    assert.equal((await visitor.send('/register', fields)).location, '/settings/tokens');
    const profile = (await visitor.get('/settings?done=welcome')).html;
    assert.match(profile, /value="Ada@example\.com"/);
    assert.match(profile, /is not confirmed yet/);
    assert.match(profile, /Your first access token is/);
  });

  it('shows errors at the fields, and keeps the typed values except the password', async () => {
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    await visitor.get('/register');
    const short = await visitor.send('/register', { name: '"><b>Bob', email: 'not an address', password: 'short-1' });
    assert.equal(short.status, 422);
    assert.match(short.html, /id="email-error">Email must be an email address/);
    assert.match(short.html, /id="password-error">Password must have at least 8 characters/);
    assert.match(short.html, /value="&#34;&gt;&lt;b&gt;Bob"/);
    assert.match(short.html, /value="not an address"/);
    assert.doesNotMatch(short.html, /short-1/);
    const taken = await visitor.send('/register', { email, password });
    assert.match(taken.html, /id="email-error">Another user has this email/);
    const common = await visitor.send('/register', { email: 'new@example.com', password: 'password123' });
    assert.match(common.html, /id="password-error">Password is a common password/);
    assert.equal(visitor.cookies.has('session'), false);
  });

  it('confirms an address with a click, not by opening the link', async () => {
    const email = 'grace@example.com';
    const visitor = new Visitor(service);
    await visitor.get('/register');
    await visitor.send('/register', { email, password });
    const link = await mailedLink(service, 'confirm-email', email);
    assert.match(link, /^\/email\/confirm\//);
    const scanner = new Visitor(service);
    for (let i = 0; i < 2; i++) assert.equal((await scanner.get(link)).status, 200);
    assert.match((await visitor.get('/settings')).html, /is not confirmed yet/);
    await visitor.get(link);
    assert.equal((await visitor.send(link, {})).location, '/email/confirmed');
    assert.doesNotMatch((await visitor.get('/settings')).html, /is not confirmed yet/);
    assert.equal((await visitor.get(link)).status, 410);
    // From a page that was opened earlier.
    const again = await scanner.send(link, {});
    assert.equal(again.status, 410);
    assert.match(again.html, /This link no longer works/);
  });

  it('sends the confirmation again from the settings', async () => {
    const email = 'edsger@example.com';
    const visitor = new Visitor(service);
    await visitor.get('/register');
    await visitor.send('/register', { email, password });
    const first = await mailedLink(service, 'confirm-email', email);
    await visitor.get('/settings');
    assert.equal((await visitor.send('/settings/confirmations', {})).location, '/email/confirmations');
    assert.match((await visitor.get('/email/confirmations')).html, /Check your email/);
    assert.notEqual(await mailedLink(service, 'confirm-email', email), first);
  });

  it('sets a new password with a mailed link, once, and ends the sessions', async () => {
    const { email } = await addLogin(service);
    const signedIn = new Visitor(service);
    await signedIn.signIn(email, password);
    const visitor = new Visitor(service);
    await visitor.get('/password/forgot');
    assert.equal((await visitor.send('/password/forgot', { email })).location, '/password/forgot?done=sent');
    const known = (await visitor.get('/password/forgot?done=sent')).html;
    await visitor.get('/password/forgot');
    const unknown = await visitor.send('/password/forgot', { email: 'nobody@example.com' });
    assert.equal(unknown.location, '/password/forgot?done=sent');
    assert.match(known, /If an account has this address/);

    const link = await mailedLink(service, 'reset-password', email);
    await visitor.get(link);
    const weak = await visitor.send(link, { password: 'short' });
    assert.equal(weak.status, 422);
    assert.match(weak.html, /id="password-error"/);
    const done = await visitor.send(link, { password: 'quite another password' });
    assert.equal(done.location, '/login?done=password-reset');
    assert.equal((await signedIn.get('/settings')).status, 302);
    assert.equal((await visitor.signIn(email, password)).status, 422);
    assert.equal((await visitor.signIn(email, 'quite another password')).status, 303);
    await visitor.get(link);
    assert.equal((await visitor.send(link, { password: 'a third password' })).status, 410);
  });

  it('reports an invalid address', async () => {
    const visitor = new Visitor(service);
    await visitor.get('/password/forgot');
    const response = await visitor.send('/password/forgot', { email: 'x' });
    assert.equal(response.status, 422);
    assert.match(response.html, /id="email-error"/);
    assert.match(response.html, /value="x"/);
  });

  it('shows a clear page for an invalid link', async () => {
    const visitor = new Visitor(service);
    await visitor.get('/login');
    for (const token of ['x', '..%2f..%2fusers', 'a'.repeat(2000), '%f0%9f%92%a9', "'--"]) {
      for (const path of [`/email/confirm/${token}`, `/password/reset/${token}`]) {
        assert.equal((await visitor.get(path)).status, 410, path);
        assert.equal((await visitor.send(path, { password: 'quite another password' })).status, 410, path);
      }
    }
  });
});

onBothEngines('Pages with required email confirmation', (engine) => {
  const start = services(engine);
  it('refuse a sign-in before the confirmation, and offer to send the link again', async () => {
    const service = await start({ env: { REQUIRE_EMAIL_CONFIRMATION: 'true', LOGIN_ATTRIBUTES: 'email,username' } });
    const email = 'alan@example.com';
    const visitor = new Visitor(service);
    await visitor.get('/register');
    const made = await visitor.send('/register', { email, username: 'alan', password });
    assert.equal(made.location, '/login?done=registered');
    assert.match((await visitor.get(made.location)).html, /Follow the link in the email/);
    const wrong = await visitor.signIn(email, 'not the password');
    assert.doesNotMatch(wrong.html, /Confirm your email address first/);
    const refused = await visitor.signIn(email, password);
    assert.equal(refused.status, 403);
    assert.match(refused.html, /Confirm your email address first/);
    const first = await mailedLink(service, 'confirm-email', email);
    assert.match(refused.html, /name="login" value="alan@example\.com"/);
    assert.equal((await visitor.send('/email/confirmations', { login: email })).location, '/email/confirmations');
    const second = await mailedLink(service, 'confirm-email', email);
    assert.notEqual(second, first);
    assert.match((await visitor.signIn('alan', password)).html, /name="login" value="alan"/);
    assert.equal((await visitor.send('/email/confirmations', { login: 'alan' })).location, '/email/confirmations');
    const third = await mailedLink(service, 'confirm-email', email);
    assert.notEqual(third, second);
    for (const login of ['nobody', 'nobody@example.com']) {
      assert.equal((await visitor.send('/email/confirmations', { login })).location, '/email/confirmations');
    }
    await visitor.get(third);
    assert.equal((await visitor.send(third, {})).location, '/email/confirmed');
    assert.equal((await visitor.signIn('alan', password)).location, '/settings');
  });
});
