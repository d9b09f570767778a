import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { rotateKeys } from '../../extensions/admin-commands/revoke-everything.ts';
import { systemSource as source } from '../../src/http/request-source.ts';
import { onBothEngines } from '../harness/engines.ts';
import { mailedLink } from '../harness/mailed-link.ts';
import { type Person, password, personalToken, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { startReceiver } from './receiver.ts';

const resources = new URL('./private', import.meta.url).pathname;

interface Made {
  data: { id: string; active: boolean; disabled_reason: string | null };
  code: string;
}

onBothEngines('The owner of a webhook', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resources } });
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  const elsewhere = 'https://evil.example/hook';
  const make = (token: string, json: object = {}) =>
    request<Made>(service, '/v1/webhooks', { json: { url: elsewhere, resources: ['diaries'], ...json }, token });
  const change = (method: string, path: string, json: object, token: string) =>
    request<Made>(service, `/v1/webhooks/${path}`, { method, json, token });
  const stateOf = async (id: string) =>
    (await request<Made>(service, `/v1/webhooks/${id}`, { token: admin })).body.data;
  const changePassword = (ada: Person, to: string, endTokens: boolean) =>
    request(service, '/v1/users/me', {
      method: 'PATCH',
      json: { current_password: password, password: to, end_tokens: endTokens },
      token: ada.token,
    });

  it('loses webhooks that another person with the old password may have created', async () => {
    const ada = await registerUser(service);
    const { id } = (await make(ada.token)).body.data;
    assert.equal((await changePassword(ada, 'a second long secret', false)).status, 200);
    assert.equal((await stateOf(id)).active, true, 'an ordinary change of the password keeps the webhook');
    const bob = await registerUser(service);
    const ended = (await make(bob.token)).body.data;
    assert.equal((await changePassword(bob, 'a second long secret', true)).status, 200);
    assert.deepEqual(
      [(await stateOf(ended.id)).active, (await stateOf(ended.id)).disabled_reason],
      [false, 'the password was changed'],
    );
    await request(service, '/v1/password/resets', { json: { email: ada.email } });
    const link = (await mailedLink(service, 'reset-password', ada.email)).split('/').at(-1);
    const reset = await request(service, `/v1/password/resets/${link}`, { json: { password: 'a third long secret' } });
    assert.equal(reset.status, 200);
    assert.equal((await stateOf(id)).active, false);
  });

  it('needs a recent proof to create or change a webhook', async () => {
    const ada = await registerUser(service);
    const { id } = (await make(ada.token)).body.data;
    const pat = await personalToken(service, ada.token);
    const refused = async (token: string) => {
      for (const { status, body } of [
        await make(token),
        await change('PATCH', id, { url: 'https://evil.example/other' }, token),
        await change('POST', `${id}/secrets`, {}, token),
      ]) {
        assert.deepEqual([status, body.code], [401, 'proof_too_old']);
      }
    };
    await refused(pat);
    service.advance(901_000);
    await refused(ada.token);
    assert.equal((await make(ada.token, { current_password: password })).status, 201);
    assert.equal((await change('PATCH', id, { active: false }, ada.token)).status, 200, 'disabling needs no proof');
    assert.equal((await change('PATCH', id, { active: true }, ada.token)).status, 401);
    assert.equal((await change('PATCH', id, { url: 'https://evil.example/later' }, ada.token)).status, 401);
    admin = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  it('keeps rows that only the owner may read from administrators', async () => {
    const receiver = await startReceiver();
    const ada = await registerUser(service);
    const { id } = (await make(ada.token, { url: receiver.url })).body.data;
    await request(service, '/v1/diaries', { json: { entry: 'mine' }, token: ada.token });
    await receiver.until(1);
    await request(service, `/v1/webhooks/${id}/pings`, { method: 'POST', token: admin });
    await receiver.until(2);
    const operations = async (token: string) => {
      const path = `/v1/webhooks/${id}/deliveries`;
      const { body } = await request<{ data: { operation: string }[] }>(service, path, { token });
      return body.data.map(({ operation }) => operation).sort();
    };
    assert.deepEqual(await operations(ada.token), ['created', 'ping']);
    assert.deepEqual(await operations(admin), ['ping']);
    assert.equal((await change('PATCH', id, { url: elsewhere }, admin)).status, 403);
    assert.equal((await change('PATCH', id, { active: false }, admin)).status, 200);
  });

  it('enables webhooks again after keys were compromised', async () => {
    const ada = await registerUser(service);
    const { id } = (await make(ada.token)).body.data;
    await rotateKeys(service.context, service.accounts.keys, { source, compromised: true });
    const token = await logIn(service, ada.email, password);
    const { body } = await request<Made>(service, `/v1/webhooks/${id}`, { token });
    assert.deepEqual([body.data.active, body.data.disabled_reason], [false, 'the keys were compromised']);
    assert.equal((await change('PATCH', id, { active: true }, token)).body.data.active, true);
  });

  it('has at most 20 webhooks', async () => {
    const ada = await registerUser(service);
    const made = await Promise.all(Array.from({ length: 30 }, () => make(ada.token)));
    assert.equal(made.filter(({ status }) => status === 201).length, 20);
    const { status, body } = await make(ada.token);
    assert.deepEqual([status, body.code], [409, 'conflict']);
    const bob = await registerUser(service);
    assert.equal((await make(bob.token)).status, 201);
  });
});
