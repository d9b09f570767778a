import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { commitAndInvalidate } from '../src/database/bus.ts';
import { systemSource } from '../src/http/request-source.ts';
import { updateUser } from '../src/identity/accounts/user-store.ts';
import { addClientSecret } from '../src/oauth/clients/secrets/client-secrets.ts';
import type { OAuth } from '../src/oauth/oauth.ts';
import { endSessions } from '../src/oauth/sessions/end-sessions.ts';
import { handleTokenRequest } from '../src/oauth/token-endpoint.ts';
import type { OAuthError } from '../src/platform/errors.ts';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { type JsonResponse, request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';
import { addRequesters, byCredentials, expectRefusal, requestBy } from './harness/token-requests.ts';

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

onBothEngines('The token endpoint', (engine) => {
  const start = services(engine);
  let service: Service;
  let user: { id: string; email: string };
  let client: { id: string; secret: string };
  let personal: { id: string; secret: string };
  before(async () => {
    service = await start();
    ({ user, client, personal } = await addRequesters(service));
  });

  const token = (form: Record<string, string> | string, headers: Record<string, string> = {}) =>
    request(service, '/v1/oauth/token', { form, headers });
  const asClient = (parameters: Record<string, string>) => requestBy(client, parameters);
  const asPersonal = (parameters: Record<string, string> = {}) => byCredentials(personal, parameters);
  const login = (more: Record<string, string> = {}) =>
    token(asClient({ grant_type: 'password', username: user.email, password, ...more }));

  it('returns exactly the four fields, and forbids storing them', async () => {
    for (const response of [await login(), await login({ scope: '' }), await token(asPersonal())]) {
      assert.equal(response.status, 200);
      assert.deepEqual(Object.keys(response.body), ['token_type', 'expires_in', 'access_token', 'refresh_token']);
      assert.equal(response.body.token_type, 'Bearer');
      assert.equal(response.body.expires_in, 3600);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('pragma'), 'no-cache');
    }
  });

  it('puts the RFC 9068 claims into the token', async () => {
    const { access_token } = (await login()).body;
    const [header, claims] = String(access_token)
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    assert.deepEqual([header.typ, header.alg], ['at+jwt', 'ES256']);
    const { baseUrl } = service.context.config;
    assert.deepEqual(
      [claims.iss, claims.aud, claims.sub, claims.client_id, claims.scope],
      [baseUrl, baseUrl, user.id, client.id, '*'],
    );
    assert.equal(claims.exp - claims.iat, 3600);
    for (const claim of ['jti', 'sid']) assert.equal(typeof claims[claim], 'string');
  });

  it('accepts JSON and a form', async () => {
    const json = asClient({ grant_type: 'password', username: user.email, password });
    assert.equal((await request(service, '/v1/oauth/token', { json })).status, 200);
  });

  it('does not accept inherited object properties as a grant', async () => {
    for (const grant_type of ['toString', '__proto__', 'constructor', 'PASSWORD', 'implicit'])
      expectRefusal(await token(asClient({ grant_type })), 400, 'unsupported_grant_type');
  });

  it('neither announces nor accepts a grant that the settings disable', async () => {
    const path = '/.well-known/oauth-authorization-server';
    const { body } = await request<{ grant_types_supported: string[] }>(service, path);
    const grant_type = 'urn:gatehouse:email-code';
    assert.ok(body.grant_types_supported.includes('password') && !body.grant_types_supported.includes(grant_type));
    const refused = await token(asClient({ grant_type, email_code: 'x', code: '123456' }));
    expectRefusal(refused, 400, 'unsupported_grant_type');
  });

  it('refuses all clients with the same error, and sends a challenge', async () => {
    const grant = { grant_type: 'client_credentials' };
    const bodies = [
      await token(grant),
      await token({ ...grant, client_id: personal.id }),
      await token({ ...grant, client_id: personal.id, client_secret: 'wrong' }),
      await token({ ...grant, client_id: 'nobody', client_secret: personal.secret }),
      await token({ ...grant, client_id: personal.id, client_secret: client.secret }),
    ];
    for (const response of bodies) {
      expectRefusal(response, 401, 'invalid_client');
      assert.match(response.headers.get('www-authenticate') ?? '', /^Basic /);
      assert.deepEqual(response.body, bodies[0]?.body);
    }
    for (const authorization of [
      basic(personal.id, 'wrong'),
      basic('nobody', personal.secret),
      'Basic !!!',
      'Basic',
      `Basic ${Buffer.from('no colon').toString('base64')}`,
      'Bearer abc',
    ]) {
      const response = await token(grant, { authorization });
      expectRefusal(response, 401, 'invalid_client');
      assert.match(response.headers.get('www-authenticate') ?? '', /^Basic /);
    }
  });

  it('accepts client credentials in the header or in parameters, not in both', async () => {
    const grant = { grant_type: 'client_credentials' };
    const authorization = basic(personal.id, personal.secret);
    assert.equal((await token(grant, { authorization })).status, 200);
    assert.equal((await token({ ...grant, client_id: personal.id }, { authorization })).status, 200);
    expectRefusal(await token(asPersonal(), { authorization }), 400, 'invalid_request');
    expectRefusal(await token({ ...grant, client_id: client.id }, { authorization }), 401, 'invalid_client');
  });

  it('decodes the header as in RFC 6749 2.3.1, and accepts it without encoding too', async () => {
    const odd = await addClient(service, { id: `odd:id%${engine}`, secret: 'a+b/c= d%41:é-and-long-enough' });
    const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
    const grant = { grant_type: 'client_credentials' };
    const encoded = basic(encode(odd.id), encode(odd.secret));
    assert.equal((await token(grant, { authorization: encoded })).status, 200);
    const plain = await addClient(service, { secret: 'a+b/c=%zz-and-long-enough' });
    assert.equal((await token(grant, { authorization: basic(plain.id, plain.secret) })).status, 200);
  });

  it('allows each type of client only its own grants', async () => {
    expectRefusal(
      await token({ ...asPersonal(), grant_type: 'password', username: user.email, password }),
      400,
      'unauthorized_client',
    );
    expectRefusal(await token(asClient({ grant_type: 'client_credentials' })), 400, 'unauthorized_client');
  });

  it('gives the same error for a wrong password and an unknown user', async () => {
    const wrong = await token(asClient({ grant_type: 'password', username: user.email, password: 'wrong' }));
    const unknown = await token(asClient({ grant_type: 'password', username: 'nobody@example.com', password }));
    expectRefusal(wrong, 400, 'invalid_grant');
    assert.deepEqual(unknown.body, wrong.body);
  });

  it('refuses a password that was replaced during its check', async () => {
    const { id, email } = await addLogin(service);
    const { oauth, context, passwords } = service;
    const body = asClient({ grant_type: 'password', username: email, password });
    const slow: OAuth = {
      ...oauth,
      async checkCredentials(credentials) {
        const checked = await oauth.checkCredentials(credentials);
        const password_hash = await passwords.hash('another password altogether');
        await commitAndInvalidate(context.database, async (tx, invalidate) => {
          await updateUser(tx, id, { password_hash });
          await endSessions(service.sessions, tx, invalidate, { userId: id }, 'password_reset');
        });
        return checked;
      },
    };
    await assert.rejects(
      handleTokenRequest(slow, { authorization: undefined, body, source: systemSource }),
      (error: OAuthError) => error.error === 'invalid_grant',
    );
    const left = await context.database.db.selectFrom('sessions').selectAll().where('user_id', '=', id).execute();
    assert.deepEqual(left, []);
  });

  it('grants only requested and allowed scopes', async () => {
    const scopeOf = (response: JsonResponse) =>
      JSON.parse(Buffer.from(String(response.body.access_token).split('.')[1] as string, 'base64url').toString()).scope;
    const narrow = await token(asPersonal({ scope: 'cars:read' }));
    assert.equal(scopeOf(narrow), 'cars:read');
    assert.equal(narrow.body.scope, undefined);
    assert.equal(scopeOf(await token(asPersonal({ scope: '' }))), 'cars:read cars:write');
    assert.equal(scopeOf(await login({ scope: 'cars:read' })), 'cars:read');
    for (const scope of [
      '*',
      'cars:read *',
      'boats:read',
      'toString',
      'cars:read\u0001',
      'cars:"read"',
      'tokens:introspect',
    ])
      expectRefusal(await token(asPersonal({ scope })), 400, 'invalid_scope');
    expectRefusal(await login({ scope: 'tokens:introspect' }), 400, 'invalid_scope');
  });

  it('narrows scopes at a refresh, never widens them, and a refusal does not use up the token', async () => {
    const first = await token(asPersonal({ scope: 'cars:read' }));
    const refresh = (scope: string, refresh_token = String(first.body.refresh_token)) =>
      token(asPersonal({ grant_type: 'refresh_token', refresh_token, scope }));
    expectRefusal(await refresh('cars:read cars:write'), 400, 'invalid_scope');
    expectRefusal(await refresh('*'), 400, 'invalid_scope');
    const second = await refresh('cars:read');
    assert.equal(second.status, 200);
    const wide = await token(asPersonal());
    const narrowed = await refresh('cars:read', String(wide.body.refresh_token));
    assert.equal(narrowed.status, 200);
    assert.equal((await refresh('cars:read cars:write', String(narrowed.body.refresh_token))).status, 200);
  });

  it('refuses a refresh token of another client, an invalid one, and an access token in its place', async () => {
    const { refresh_token, access_token } = (await login()).body as Record<string, string>;
    for (const value of [refresh_token, access_token, 'x', 'é'.repeat(100)] as string[])
      expectRefusal(
        await token(asPersonal({ grant_type: 'refresh_token', refresh_token: value })),
        400,
        'invalid_grant',
      );
    assert.equal(
      (await token(asClient({ grant_type: 'refresh_token', refresh_token: refresh_token as string }))).status,
      200,
    );
  });

  it('gives 20 concurrent refreshes one successor', async () => {
    const refresh_token = String((await login()).body.refresh_token);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => token(asClient({ grant_type: 'refresh_token', refresh_token }))),
    );
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(responses.map(({ body }) => body.refresh_token)).size, 1);
  });

  it('accepts an old secret in addition to the new one for the chosen time', async () => {
    const rotating = await addClient(service);
    const statusWith = async (client_secret: string) =>
      (await token({ grant_type: 'client_credentials', client_id: rotating.id, client_secret })).status;
    const renew = (oldHours: number) =>
      commitAndInvalidate(service.context.database, (tx, invalidate) =>
        addClientSecret(service.context, service.keys, tx, invalidate, { clientId: rotating.id, oldHours }),
      );
    const second = await renew(2);
    // The service caches the last valid secret, so the old one is used last.
    assert.deepEqual([await statusWith(second), await statusWith(rotating.secret)], [200, 200]);
    const wrong = rotating.secret.slice(0, -1) + (rotating.secret.endsWith('x') ? 'y' : 'x');
    assert.deepEqual([await statusWith(wrong), await statusWith(rotating.secret)], [401, 200]);
    service.advance(2 * 3_600_000);
    assert.deepEqual([await statusWith(rotating.secret), await statusWith(second)], [401, 200]);
    const third = await renew(0);
    assert.deepEqual([await statusWith(second), await statusWith(third)], [401, 200]);
    const stored = await service.context.database.db.selectFrom('client_secrets').selectAll().execute();
    assert.ok(!JSON.stringify(stored).includes(third));
  });
});
