import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type App, addApp, addPasskey, type LoginBody, loginPath } from '../harness/factors.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

interface Proved {
  readonly data: { readonly amr: string[]; readonly acr: string };
  readonly code: string;
}

onBothEngines('An attacker without all factors of a user', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { EMAIL_CODES: 'on' } });
  });

  const logIn = (json: object) => request<LoginBody>(service, loginPath, { json });
  const prove = (json: object, token: string): Promise<JsonResponse<Proved>> =>
    request<Proved>(service, '/v1/sessions/current/proofs', { json, token });

  async function emailCode(email: string): Promise<{ id: string; code: string }> {
    const { body } = await request<{ data: { id: string } }>(service, '/v1/email-codes', { json: { email } });
    const mail = (await mailsTo(service, 'email-code', email)).at(-1);
    return { id: body.data.id, code: /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? '' };
  }

  /** A user with an authenticator app. The token is from an earlier login with one factor. */
  async function withApp(): Promise<{ email: string; token: string; app: App }> {
    const { email } = await addLogin(service);
    const { access_token: token } = (await logIn({ email, password })).body;
    const { app } = await addApp(service, { token });
    return { email, token, app };
  }

  it('cannot use a mailbox in place of the second factor that was set up', async () => {
    const { email, token, app } = await withApp();
    const byMail = await prove({ password, email_code: await emailCode(email) }, token);
    assert.equal(byMail.body.data.acr, 'urn:gatehouse:1', byMail.text);
    const { mfa_token } = (await logIn({ email, password })).body;
    const login = await logIn({ mfa_token, code: app.next() });
    const strong = login.body.access_token;
    const refused = await prove({ password, email_code: await emailCode(email) }, strong);
    assert.deepEqual([refused.status, refused.body.code], [401, 'proof_too_old'], refused.text);
    const proved = await prove({ email_code: await emailCode(email), code: app.next() }, strong);
    assert.deepEqual([proved.status, proved.body.data?.acr], [201, 'urn:gatehouse:2'], proved.text);
  });

  it('cannot change factors on a remembered browser with only the password', async () => {
    const { email, app } = await withApp();
    const { mfa_token } = (await logIn({ email, password })).body;
    const first = await logIn({ mfa_token, code: app.next(), remember: true });
    const cookie = String(
      first.headers
        .getSetCookie()
        .find((set) => set.startsWith('device='))
        ?.split(';')[0],
    );
    const { access_token: token } = (
      await request<LoginBody>(service, loginPath, { json: { email, password }, headers: { cookie } })
    ).body;
    const changes = [
      { path: `/v1/authenticators/${app.id}`, method: 'DELETE' },
      { path: '/v1/authenticators', method: 'POST' },
      { path: '/v1/recovery-codes', method: 'POST' },
    ];
    const refuseAll = async () => {
      for (const { path, method } of changes) {
        const { status, headers } = await request(service, path, {
          method,
          token,
          json: { current_password: password },
        });
        assert.equal(status, 401, path);
        assert.match(headers.get('www-authenticate') ?? '', /acr_values="urn:gatehouse:2"/, path);
      }
    };
    await refuseAll();
    assert.equal((await prove({ password }, token)).status, 201);
    await refuseAll();
    assert.equal((await prove({ password, code: app.next() }, token)).body.data.acr, 'urn:gatehouse:2');
    assert.equal((await request(service, `/v1/authenticators/${app.id}`, { method: 'DELETE', token })).status, 204);
  });

  it('cannot change factors with only the password in a session that is older than them', async () => {
    const { email, id } = await addLogin(service, { roles: ['admin'] });
    const [stolen, own] = [await logIn({ email, password }), await logIn({ email, password })];
    const [thief, token] = [stolen.body.access_token, own.body.access_token];
    const { app } = await addApp(service, { token });
    const { response } = await addPasskey(service, { token });
    const passkey = `/v1/passkeys/${response.body.data.id}`;
    const json = { current_password: password };
    const changes = [
      { path: `/v1/authenticators/${app.id}`, method: 'DELETE' },
      { path: passkey, method: 'DELETE' },
      { path: passkey, method: 'PATCH', values: { name: 'Mine' } },
      { path: '/v1/authenticators', method: 'POST' },
      { path: '/v1/recovery-codes', method: 'POST' },
      { path: `/v1/users/${id}/factors`, method: 'DELETE' },
    ];
    const refuseAll = async (proof: object) => {
      for (const { path, method, values } of changes) {
        const change = { method, json: { ...values, ...proof }, token: thief };
        const { status, body, headers } = await request(service, path, change);
        assert.deepEqual([status, body.code], [401, 'proof_too_old'], `${method} ${path}`);
        assert.match(headers.get('www-authenticate') ?? '', /acr_values="urn:gatehouse:2"/, `${method} ${path}`);
      }
    };
    // The first challenge of a proof that is also too old already contains the level.
    service.advance(901_000);
    await refuseAll({});
    assert.equal((await prove({ password }, thief)).status, 201);
    await refuseAll(json);
    // The session that set up the factors needs only the password.
    assert.equal((await request(service, '/v1/recovery-codes', { token, method: 'POST', json })).status, 201);
    assert.equal((await request(service, passkey, { token, method: 'DELETE', json })).status, 204);
    assert.equal((await prove({ password, code: app.next() }, thief)).body.data.acr, 'urn:gatehouse:2');
    const removed = await request(service, `/v1/authenticators/${app.id}`, { method: 'DELETE', token: thief });
    assert.equal(removed.status, 204, removed.text);
  });

  it('cannot find out by trying whether a code is currently valid', async () => {
    const { token, app } = await withApp();
    const path = `/v1/authenticators/${app.id}/confirmations`;
    for (const code of ['000000', app.next()]) {
      const { status, body } = await request(service, path, { json: { code }, token });
      assert.deepEqual([status, body.code], [409, 'already_confirmed'], code);
    }
  });
});
