import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import { admin, passwordGrant, register, requestTokens, specServices, webAdmin } from './sender.ts';

interface Refused {
  readonly error: string;
  readonly error_description: string;
}

onBothEngines('The specification of accounts', (engine) => {
  const start = specServices(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('4.5, 4.6: registration returns the user and no tokens; the user then logs in', async () => {
    const form = { email: `ada-${engine}@example.com`, password: 'lovelace-1815' };
    const made = await request<{ data: { id: string; email: string } }>(service, '/v1/register', { form });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.data.email, form.email);
    assert.doesNotMatch(made.text, /access_token|refresh_token|lovelace/);
    const login = await request<Record<string, string>>(service, '/v1/clients/web/admin/login', { form });
    assert.equal(login.status, 200);
    assert.equal(login.body.data, undefined, 'only tokens are returned');
    const users = await request<{ data: { id: string }[] }>(service, '/v1/users', {
      token: login.body.access_token ?? '',
    });
    assert.deepEqual([users.status, users.body.data.map(({ id }) => id)], [200, [made.body.data.id]]);
  });

  it('4.5: the form may repeat the password', async () => {
    const form = { email: `twice-${engine}@example.com`, password: 'lovelace-1815' };
    const other = await request(service, '/v1/register', { form: { ...form, password_confirmation: 'another' } });
    assert.equal(other.status, 422);
    const same = await request(service, '/v1/register', { form: { ...form, password_confirmation: form.password } });
    assert.equal(same.status, 201, same.text);
  });

  it('2.2: a personal access token is issued when a user registers', async () => {
    const { tokens } = await register(service, `token-${engine}@example.com`);
    const { body } = await request<{ data: { id: string; type: string }[] }>(
      service,
      '/v1/tokens?search=type:personal',
      {
        token: tokens.access_token,
      },
    );
    assert.equal(body.data.length, 1);
    const path = `/v1/tokens/${body.data[0]?.id}/values`;
    const shown = await request<{ data: { access_token: string } }>(service, path, {
      method: 'POST',
      token: tokens.access_token,
    });
    assert.equal(shown.status, 200, shown.text);
    assert.equal((await request(service, '/v1/users/me', { token: shown.body.data.access_token })).status, 200);
  });

  it('2.2: a user creates a personal client through the API; its secret is shown once', async () => {
    const { tokens } = await register(service, `client-${engine}@example.com`);
    const token = tokens.access_token;
    const made = await request<{ data: Record<string, string> }>(service, '/v1/clients', {
      json: { name: 'CI' },
      token,
    });
    assert.equal(made.status, 201);
    assert.equal(made.body.data.type, 'personal');
    assert.ok(made.body.data.client_id && made.body.data.client_secret);
    const read = await request<{ data: object }>(service, `/v1/clients/${made.body.data.client_id}`, { token });
    assert.ok(!('client_secret' in read.body.data));
  });

  it('5.8: an unconfirmed user can log in by default', async () => {
    const { tokens } = await register(service, `open-${engine}@example.com`);
    const { body } = await request<{ data: { email_confirmed: boolean } }>(service, '/v1/users/me', {
      token: tokens.access_token,
    });
    assert.equal(body.data.email_confirmed, false);
  });

  it('5.8, 7: if confirmation is required, an unconfirmed user gets no tokens by any grant', async () => {
    const person = await register(service, `late-${engine}@example.com`);
    const { email, password, tokens } = person;
    const made = await request<{ data: Record<'client_id' | 'client_secret', string> }>(service, '/v1/clients', {
      json: { name: 'CI' },
      token: tokens.access_token,
    });
    const { client_id, client_secret } = made.body.data;
    const own = await requestTokens(service, { grant_type: 'client_credentials', client_id, client_secret });
    const strict = await start({ REQUIRE_EMAIL_CONFIRMATION: 'true' }, service);
    const forms = [
      { grant_type: 'password', username: email, password, ...webAdmin },
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...webAdmin },
      { grant_type: 'client_credentials', client_id, client_secret },
      { grant_type: 'refresh_token', refresh_token: own.body.refresh_token, client_id, client_secret },
    ];
    for (const form of forms) {
      const { status, body } = await requestTokens<Refused>(strict, form);
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify(form));
      assert.match(body.error_description, /not confirmed/);
    }
    const wrong = await requestTokens<Refused>(strict, { ...(forms[0] as object), password: 'wrong' });
    assert.doesNotMatch(wrong.body.error_description, /confirmed/, 'only after the right password');
    const { access_token } = (await passwordGrant(strict, admin)).body;
    const confirm = `/v1/users/${person.id}/email-confirmations`;
    assert.equal((await request(strict, confirm, { method: 'POST', token: access_token })).status, 204);
    for (const form of forms)
      assert.equal((await requestTokens(strict, form)).status, 200, 'a refusal does not use up the token');
  });

  it('5.8: a user without an email address has nothing to confirm', async () => {
    const strict = await start({ REQUIRE_EMAIL_CONFIRMATION: 'true', LOGIN_ATTRIBUTES: 'email,username' });
    const json = { username: 'nameonly', password: 'lovelace-1815' };
    assert.equal((await request(strict, '/v1/register', { json })).status, 201);
    assert.equal((await request(strict, '/v1/clients/web/admin/login', { json })).status, 200);
  });
});
