import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { signedIn } from '../harness/authorizing.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

const base = '/settings/applications';

describe('Applications in the settings', () => {
  const start = services('sqlite');
  let service: Service;
  let visitor: Visitor;
  let userId: string;
  before(async () => {
    service = await start({ env: { SCOPES: 'reports:run=Run your reports' } });
    ({ visitor, id: userId } = await signedIn(service));
  });
  const found = () =>
    service.context.database.db.selectFrom('clients').selectAll().where('user_id', '=', userId).execute();
  const chosen = { access: 'some', 'scope:openid': 'on', 'scope:email': 'on', 'scope:reports:run': 'on' };
  const redirect_uris = 'https://app.example/cb\r\n  http://127.0.0.1/cb \r\n\r\n';

  it('are created with a secret that is shown once, changed and deleted', async () => {
    const form = await visitor.get(`${base}/sign-in/new`);
    assert.equal(form.status, 200);
    assert.match(form.html, /Run your reports/);
    assert.match(form.html, /See your email address/);
    const made = await visitor.send(`${base}/sign-in`, { name: 'Notes', kind: 'secret', redirect_uris, ...chosen });
    assert.equal(made.status, 200, made.html);
    assert.match(made.html, /id="client-secret"[^>]*>gh_sec_\w+</);
    assert.ok(!made.html.includes('client_credentials'));
    const [client = assert.fail('no client')] = await found();
    assert.deepEqual(JSON.parse(client.redirect_uris), ['https://app.example/cb', 'http://127.0.0.1/cb']);
    assert.deepEqual(JSON.parse(client.scopes), ['openid', 'email', 'reports:run']);
    assert.match((await visitor.get(base)).html, /Notes[\s\S]*People sign in to it/);

    const page = await visitor.get(`${base}/${client.id}`);
    assert.match(page.html, /https:\/\/app\.example\/cb\nhttp:\/\/127\.0\.0\.1\/cb<\/textarea>/);
    const wrong = await visitor.send(`${base}/${client.id}/sign-in`, {
      ...{ name: 'Notes', ...chosen, homepage_uri: 'http://app.example' },
      redirect_uris: 'http://localhost.evil/cb',
    });
    assert.equal(wrong.status, 422);
    assert.match(wrong.html, /id="redirect_uris-error">[^<]*localhost\.evil/);
    assert.match(wrong.html, /id="homepage_uri-error"/);
    assert.match(wrong.html, /http:\/\/localhost\.evil\/cb<\/textarea>/, 'the input stays');
    const saved = await visitor.send(`${base}/${client.id}/sign-in`, {
      ...{ name: 'Notes 2', ...chosen, redirect_uris: 'https://app.example/other' },
      homepage_uri: 'https://app.example/',
    });
    assert.equal(saved.location, `${base}/${client.id}?done=application-saved`);
    const [changed] = await found();
    assert.deepEqual([changed?.name, changed?.homepage_uri], ['Notes 2', 'https://app.example/']);
    const secret = await visitor.send(`${base}/${client.id}/secret`, { hours: '0' });
    assert.match(secret.html, /id="client-secret"/);
    await visitor.send(`${base}/${client.id}/remove`, {});
    assert.deepEqual(await found(), []);
  });

  it('have no secret if they are public', async () => {
    await visitor.get(`${base}/sign-in/new`);
    const made = await visitor.send(`${base}/sign-in`, { name: 'Phone', kind: 'public', redirect_uris, ...chosen });
    const [client = assert.fail(made.html)] = await found();
    assert.equal(made.location, `${base}/${client.id}?done=application-saved`);
    const { html } = await visitor.get(`${base}/${client.id}`);
    assert.ok(html.includes('keeps no secret') && !html.includes(`${client.id}/secret`));
    assert.equal((await visitor.send(`${base}/${client.id}/secret`, { hours: '0' })).status, 409);
  });

  it('report missing values, and keep the ticked ones', async () => {
    const nameless = await visitor.send(`${base}/sign-in`, { name: '', kind: 'public', access: 'some' });
    assert.equal(nameless.status, 422);
    assert.match(nameless.html, /id="name-error"/);
    assert.match(nameless.html, /id="scopes-error"/);
    assert.match(nameless.html, /value="public" checked/);
  });
});
