import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { tokenMailed } from '../harness/mailbox.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines('Changing the email address on the pages', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { LOGIN_ATTRIBUTES: 'email,username' } });
  });

  async function signedIn() {
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    await visitor.get('/settings');
    return { visitor, email };
  }
  const canSignIn = async (login: string) => (await new Visitor(service).signIn(login, password)).status === 303;

  it('requires the password, which a change of the name does not', async () => {
    const { visitor, email } = await signedIn();
    const form = { name: 'Ada', email, username: '' };
    assert.equal((await visitor.send('/settings', form)).location, '/settings?done=profile-saved');
    // A browser may fill in a password that was not requested.
    const filled = await visitor.send('/settings', { ...form, name: 'Ada L', current_password: 'an old one' });
    assert.equal(filled.location, '/settings?done=profile-saved');
    const missing = await visitor.send('/settings', { ...form, username: 'ada.l' });
    assert.equal(missing.status, 422);
    assert.match(missing.html, /id="current_password-error"[^>]*>Current password is required/);
    assert.match(missing.html, /value="ada\.l"/);
    assert.doesNotMatch(missing.html, new RegExp(password));
    const wrong = await visitor.send('/settings', { ...form, username: 'ada.l', current_password: 'not it at all' });
    assert.match(wrong.html, /id="current_password-error"[^>]*>Current password is not/);
    assert.doesNotMatch(wrong.html, /not it at all/);
    const saved = await visitor.send('/settings', { ...form, username: 'ada.l', current_password: password });
    assert.equal(saved.location, '/settings?done=profile-saved');
    assert.ok(await canSignIn('ada.l'));
  });

  it('waits for the new address, which can be cancelled or confirmed', async () => {
    const { visitor, email } = await signedIn();
    const next = `new.${email}`;
    const move = () => visitor.send('/settings', { name: '', email: next, username: '', current_password: password });
    const saved = await move();
    assert.equal(saved.location, '/settings?done=email-pending');
    const { html } = await visitor.get(saved.location);
    assert.match(html, new RegExp(`<strong>${next}</strong> becomes your email address`));
    assert.match(html, new RegExp(`name="email" type="email" value="${email}"`));
    const kept = await visitor.send('/settings/pending-email/cancel', {});
    assert.equal(kept.location, '/settings?done=email-kept');
    assert.doesNotMatch((await visitor.get('/settings')).html, /becomes your email address/);
    assert.equal((await visitor.send('/settings/pending-email/cancel', { _csrf: 'x' })).status, 403);

    await move();
    assert.equal((await visitor.send('/settings/confirmations', {})).location, '/email/confirmations');
    const reader = new Visitor(service);
    const path = `/email/confirm/${await tokenMailed(service, 'confirm-new-email', next)}`;
    await reader.get(path);
    assert.ok(await canSignIn(email), 'opening the link changes nothing yet');
    assert.equal((await reader.send(path, {})).location, '/email/confirmed');
    assert.deepEqual([await canSignIn(email), await canSignIn(next)], [false, true]);
  });

  it('is undone with a click in the mail to the old address', async () => {
    const { visitor, email } = await signedIn();
    const next = `thief.${email}`;
    await visitor.send('/settings', { name: '', email: next, username: '', current_password: password });
    const victim = new Visitor(service);
    await victim.get('/login');
    await victim.send(`/email/confirm/${await tokenMailed(service, 'confirm-new-email', next)}`, {});
    const path = `/email/undo/${await tokenMailed(service, 'email-changed', email)}`;
    const opened = await victim.get(path);
    assert.match(opened.html, /It was not me/);
    assert.ok(await canSignIn(next), 'opening the link changes nothing yet');
    const undone = await victim.send(path, {});
    assert.equal(undone.location, '/email/undone');
    assert.match((await victim.get('/email/undone')).html, /link to choose a new password/);
    assert.deepEqual([await canSignIn(email), await canSignIn(next)], [false, false]);
    assert.equal((await visitor.get('/settings')).status, 302, 'the thief is signed out');
    const reset = `/password/reset/${await tokenMailed(service, 'reset-password', email)}`;
    await victim.get(reset);
    const done = await victim.send(reset, { password: 'another fine secret' });
    assert.equal(done.location, '/login?done=password-reset');
    assert.equal((await victim.send(path, {})).status, 410);
    assert.equal((await victim.signIn(email, 'another fine secret')).status, 303);
  });
});
