import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { tokenMailed } from '../harness/mailbox.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { root } from '../harness/starts.ts';
import { Visitor } from '../harness/visitor.ts';

interface Exported {
  readonly profile: { readonly email: string };
  readonly sessions: readonly { readonly id: string }[];
  readonly access_tokens: readonly { readonly name: string }[];
  readonly applications: readonly unknown[];
  readonly connected_applications: readonly unknown[];
  readonly events: readonly { readonly type: string }[];
  readonly owners: readonly { readonly name: string }[];
}

onBothEngines('Users and their data, accounts and links', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(root, 'examples/fleet/resources') } });
  });

  async function signedIn() {
    const user = await addLogin(service);
    const visitor = new Visitor(service);
    await visitor.signIn(user.email, password);
    await visitor.get('/settings/account');
    return { visitor, ...user };
  }

  it('export everything that is stored about them, and nothing about others', async () => {
    const [ada, bob] = [await signedIn(), await signedIn()];
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    for (const { id, email } of [ada, bob])
      await request(service, '/v1/owners', { json: { name: email, user_id: id }, token: admin });
    const made = await ada.visitor.send('/settings/tokens', { name: 'backup', days: '7', access: 'all' });
    const secret = /gh_pat_\w+/.exec(made.html)?.[0];
    assert.ok(secret, 'the page shows the new token once');
    await ada.visitor.get('/settings/account');
    const response = await ada.visitor.send('/settings/account/export', {});
    assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="my-data-[\d-]+\.json"$/);
    const data = JSON.parse(response.html) as Exported;
    assert.equal(data.profile.email, ada.email);
    assert.equal(data.sessions.length, 1);
    assert.deepEqual(
      data.access_tokens.map(({ name }) => name),
      ['backup'],
    );
    assert.ok(
      data.events.some(({ type }) => type === 'user.exported'),
      'the export itself is recorded in the audit trail',
    );
    assert.deepEqual(
      data.owners.map(({ name }) => name),
      [ada.email],
    );
    assert.ok(
      !response.html.includes(secret) && !response.html.includes('password_hash') && !response.html.includes(bob.email),
    );
    assert.equal((await ada.visitor.send('/settings/account/export', { _csrf: 'x' })).status, 403);
  });

  it('export many rows with a low RATE_LIMIT, which counts the export as one request', async () => {
    const limited = await start({ env: { RATE_LIMIT: '40' } });
    const user = await addLogin(limited);
    const visitor = new Visitor(limited);
    await visitor.signIn(user.email, password);
    await visitor.get('/settings/account');
    for (let n = 0; n < 8; n++) {
      const { status, html } = await visitor.send('/settings/account/export', {});
      assert.deepEqual([status, JSON.parse(html).profile.email], [200, user.email]);
    }
  });

  it('delete their account only with the password', async () => {
    const { visitor, email } = await signedIn();
    const refused = await visitor.send('/settings/account/delete', { current_password: 'not it' });
    assert.equal(refused.status, 422);
    assert.match(refused.html, /<details class="confirm" open>/);
    assert.match(refused.html, /id="current_password-error"/);
    const done = await visitor.send('/settings/account/delete', { current_password: password });
    assert.equal(done.location, '/account-deleted');
    assert.match((await visitor.get('/account-deleted')).html, /Your account is deleted/);
    assert.equal((await visitor.get('/settings')).status, 302);
    assert.equal((await new Visitor(service).signIn(email, password)).status, 422);
  });

  it('see that a link was used, has expired or is invalid; viewing a valid link does not use it up', async () => {
    const { email } = await signedIn();
    const visitor = new Visitor(service);
    for (const path of ['/password/reset/x', '/email/confirm/x', '/email/undo/x']) {
      const { status, html } = await visitor.get(path);
      assert.equal(status, 410, path);
      assert.match(html, /This link no longer works/);
    }
    await request(service, '/v1/password/resets', { json: { email } });
    const path = `/password/reset/${await tokenMailed(service, 'reset-password', email)}`;
    for (let scan = 0; scan < 3; scan++) assert.equal((await new Visitor(service).get(path)).status, 200);
    await visitor.get(path);
    assert.equal((await visitor.send(path, { password: 'quite another password' })).status, 303);
    const used = await visitor.get(path);
    assert.deepEqual([used.status, /Send a new link/.test(used.html)], [410, true]);

    const registered = `${email}.new`.replace('@', '.at.').concat('@example.com');
    await request(service, '/v1/register', { json: { email: registered, password } });
    const confirm = `/email/confirm/${await tokenMailed(service, 'confirm-email', registered)}`;
    assert.equal((await visitor.get(confirm)).status, 200);
    service.advance(4 * 86_400_000);
    assert.equal((await visitor.get(confirm)).status, 410, 'the link has expired');
  });

  it('see an example request that their new token allows', async () => {
    const { visitor } = await signedIn();
    const make = async (scope: string) => {
      await visitor.get('/settings/tokens/new');
      const fields = { name: scope, days: '7', access: 'some', [`scope:${scope}`]: 'on' };
      const { html } = await visitor.send('/settings/tokens', fields);
      return /id="try-it"[^>]*>([^<]+)</.exec(html)?.[1]?.replaceAll('&#39;', "'");
    };
    const curl = (await make('cars:read')) as string;
    const [, url = '', token = ''] = /curl '([^']+)'.*Bearer ([^']+)'/s.exec(curl) ?? [];
    assert.match(url, /\/v1\/cars\?limit=1$/);
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    assert.equal((await fetch(url.replace(/^https?:\/\/[^/]+/, service.url), { headers })).status, 200);
    assert.match((await make('users:read')) ?? '', /\/v1\/users\/me'/);
    assert.equal(await make('cars:write'), undefined, 'the page shows no request that would be refused');
    const { html } = await visitor.get('/settings/tokens');
    for (const words of ['Read: Cars', 'Read: Profile, email and password', 'Write: Cars']) {
      assert.ok(html.includes(`<p>${words} ·`), words);
    }
  });
});
