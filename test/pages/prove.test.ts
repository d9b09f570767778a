import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { formOf, signedIn } from '../harness/authorizing.ts';
import { browsers } from '../harness/browser.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addApp } from '../harness/factors.ts';
import { logIn } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

onBothEngines('Settings with an outdated proof', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('ask for the password in place, and keep the typed values', async () => {
    const { visitor } = await signedIn(service);
    service.advance(901_000);
    await visitor.get('/settings/tokens/new');
    const form = { name: 'My <token>', access: 'all', days: '30' };
    const asked = await visitor.send('/settings/tokens', form);
    assert.equal(asked.status, 401, asked.html);
    assert.match(asked.html, /type="password"/);
    assert.match(asked.html, /name="name" value="My &lt;token&gt;"/);
    assert.match(asked.headers.get('www-authenticate') ?? '', /insufficient_user_authentication/);
    const { name: _escaped, ...hidden } = formOf(asked);
    const wrong = await visitor.send('/settings/tokens', { ...hidden, ...form, proof_password: 'not the password' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /name="name" value="My &lt;token&gt;"/);
    const done = await visitor.send('/settings/tokens', { ...hidden, ...form, proof_password: password });
    assert.ok(done.status < 400 && /My &lt;token&gt;/.test(done.html), `${done.status} ${done.html}`);
    const next = await visitor.send('/settings/tokens', { ...form, name: 'Second' });
    assert.ok(next.status < 400, 'the page asks once');
  });

  it('ask for the code, not for the password, if the operation requires two factors', async () => {
    const { visitor, email } = await signedIn(service);
    const { app } = await addApp(service, { token: await logIn(service, email, password) });
    service.advance(901_000);
    await visitor.get('/settings/security');
    const asked = await visitor.send('/settings/security/recovery-codes', {});
    assert.match(asked.headers.get('www-authenticate') ?? '', /acr_values="urn:gatehouse:2"/);
    const wrong = await visitor.send('/settings/security/recovery-codes', { ...formOf(asked), proof_code: '000000' });
    for (const { status, html } of [asked, wrong]) {
      assert.ok(status >= 400 && html.includes('name="proof_code"') && !html.includes('name="proof_password"'), html);
    }
    const done = await visitor.send('/settings/security/recovery-codes', { ...formOf(wrong), proof_code: app.code() });
    assert.ok(done.status < 400 && done.html.includes('id="recovery-codes"'), `${done.status} ${done.html}`);
  });

  it('end tokens with the password if the box is ticked, which is the default', async () => {
    const { visitor } = await signedIn(service);
    const page = await visitor.get('/settings/password');
    assert.match(page.html, /name="end_tokens" value="true" checked/);
    await visitor.send('/settings/tokens', { name: 'Old', access: 'all', days: '30' });
    const fields = { current_password: password, password: 'another long password' };
    const changed = await visitor.send('/settings/password', { ...fields, end_tokens: 'true' });
    assert.equal(changed.status, 303, changed.html);
    assert.ok(!(await visitor.get('/settings/tokens')).html.includes('Old'));
  });
});

describe('The page that asks for a proof', () => {
  const start = services('sqlite');
  const open = browsers();

  it('sends the password on Enter, although it can also send a code by email', async () => {
    const service = await start({ env: { EMAIL_CODES: 'on' } });
    const { email } = await addLogin(service);
    const page = await (await open()).newPage();
    await page.goto(`${service.url}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/settings');
    service.advance(901_000);
    await page.goto(`${service.url}/settings/applications/new`);
    await page.getByLabel('Name').fill('Importer');
    await page.getByRole('button', { name: 'Create application' }).click();
    await page.getByRole('button', { name: /code/ }).waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.locator('#client-secret').waitFor();
  });
});
