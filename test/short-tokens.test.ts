import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { createShortToken, shortTokenKind } from '../src/oauth/clients/secrets/short-token.ts';
import { onBothEngines } from './harness/engines.ts';
import { mailsTo } from './harness/mailbox.ts';
import { password, personalClient, personalToken, registerUser, stateOf } from './harness/people.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';
import { signToken } from './harness/sign-token.ts';

onBothEngines('Short tokens', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start();
  });
  const report = (token: unknown) => request(service, '/v1/token-reports', { json: { token } });

  it('have a prefix, 160 bits and a checksum that detects a wrong character', () => {
    const tokens = new Set(Array.from({ length: 200 }, () => createShortToken('pat')));
    assert.equal(tokens.size, 200);
    for (const token of tokens) {
      assert.match(token, /^gh_pat_[0-9A-Za-z]{33}$/);
      assert.equal(shortTokenKind(token), 'pat');
      const wrong = token.slice(0, 12) + (token[12] === 'a' ? 'b' : 'a') + token.slice(13);
      assert.equal(shortTokenKind(wrong), undefined);
    }
  });

  it('are personal access tokens, which work within their scopes until they are deleted', async () => {
    const person = await registerUser(service);
    const token = await personalToken(service, person.token, ['users:read']);
    assert.match(token, /^gh_pat_/);
    assert.equal(await stateOf(service, token), '200');
    assert.equal((await request(service, '/v1/tokens', { token })).status, 403);
    const listed = await request<{ data: { id: string; name: string }[] }>(service, '/v1/tokens', {
      token: person.token,
    });
    const { id } = listed.body.data.find(({ name }) => name === 'a token') as { id: string };
    await request(service, `/v1/tokens/${id}`, { method: 'DELETE', token: person.token });
    assert.equal(await stateOf(service, token), '401 token_revoked');
    assert.equal(await stateOf(service, createShortToken('pat')), '401 token_malformed');
    assert.equal(await stateOf(service, 'gh_pat_x'), '401 token_malformed');
  });

  it('do not invalidate earlier personal access tokens', async () => {
    const person = await registerUser(service);
    const { sessions, context } = service;
    const old = sessions.open(context.database, {
      type: 'personal',
      userId: person.id,
      name: 'old',
      scopes: ['*'],
      source: { address: null, userAgent: null, requestId: null },
    });
    await old.durable;
    assert.equal(await stateOf(service, signToken(sessions, old.session)), '200');
  });

  it('can be introspected', async () => {
    const person = await registerUser(service);
    const token = await personalToken(service, person.token, ['users:read']);
    const found = await service.verifier.findToken(token);
    assert.equal(found?.kind === 'access' && found.claims.scope, 'users:read');
    assert.equal(found?.kind === 'access' && found.claims.aud, service.context.config.baseUrl);
  });

  it('are revoked by a report from anyone, and their owner is notified', async () => {
    const person = await registerUser(service);
    const token = await personalToken(service, person.token);
    assert.equal(await stateOf(service, token), '200');
    assert.equal((await report(token)).status, 202);
    assert.equal(await stateOf(service, token), '401 token_revoked');
    const [mail] = await mailsTo(service, 'token-reported', person.email);
    assert.match(mail?.text ?? '', /a personal access token[\s\S]*does not work any more/);
    assert.doesNotMatch(mail?.text ?? '', /gh_pat_/);
    // An invalid token gets the same response.
    for (const other of [token, createShortToken('pat'), createShortToken('reg'), 'nothing', 'a.b.c']) {
      assert.equal((await report(other)).status, 202);
    }
    const errorOf = async (token: unknown) => {
      const { status, body } = await report(token);
      return [status, (body as { errors: { message: string }[] }).errors[0]?.message];
    };
    for (const missing of ['', null, undefined])
      assert.deepEqual(await errorOf(missing), [422, 'token is required.'], String(missing));
    for (const wrong of [7, { a: 1 }, false]) assert.deepEqual(await errorOf(wrong), [422, 'token must be text.']);
    assert.equal(await stateOf(service, person.token), '200');
  });

  it('are not the only ones: a report of an access token or a refresh token ends its session', async () => {
    const { email, id } = await registerUser(service);
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const json = { email, password };
      const { body } = await request<Record<typeof kind, string>>(service, '/v1/clients/web/admin/login', { json });
      assert.equal(await stateOf(service, body.access_token), '200', id);
      assert.equal((await report(body[kind])).status, 202);
      assert.equal(await stateOf(service, body.access_token), '401 token_revoked', kind);
      const refresh = { json: { refresh_token: body.refresh_token } };
      assert.equal((await request(service, '/v1/clients/web/admin/refresh', refresh)).status, 400, kind);
    }
    assert.equal((await mailsTo(service, 'token-reported', email)).length, 2);
  });

  it('are also client secrets, and a report ends the sessions that they opened', async () => {
    const person = await registerUser(service);
    const client = await personalClient(service, person.token);
    assert.match(client.secret, /^gh_sec_/);
    const { body } = await client.grant();
    assert.equal(await stateOf(service, body.access_token), '200');
    assert.equal((await report(client.secret)).status, 202);
    assert.equal((await client.grant()).status, 401);
    assert.equal(await stateOf(service, body.access_token), '401 token_revoked');
    assert.equal((await mailsTo(service, 'token-reported', person.email)).length, 1);
  });
});
