import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { authorizationResponseIn, authorizePath, codeFor, press, redeem, signedIn } from '../harness/authorizing.ts';
import { mailedLink } from '../harness/mailed-link.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { type Visit, Visitor } from '../harness/visitor.ts';

const newPassword = 'quite another long secret';

describe('Interruptions between an authorization request and its response', () => {
  const start = services('sqlite');
  let service: Service;
  let app: { id: string; secret?: string };
  before(async () => {
    service = await start({ env: { REQUIRE_EMAIL_CONFIRMATION: 'true' } });
    app = await addApplication(service, { name: 'Fleet Planner' });
  });
  const nextIn = ({ location }: Visit) =>
    new URL(location as string, 'http://host').searchParams.get('next') ?? assert.fail(`no next in ${location}`);
  const isAnswered = async (visitor: Visitor, path: string) => {
    const page = await visitor.get(path);
    const { state, code } = authorizationResponseIn(await press(visitor, page, 'allow'));
    assert.deepEqual([state, typeof code], ['a state', 'string'], page.html);
  };

  it('a registration continues from the confirmation mail', async () => {
    const visitor = new Visitor(service);
    const email = 'new@example.com';
    const next = nextIn(await visitor.get(authorizePath(app.id)));
    const register = await visitor.get(`/register?next=${encodeURIComponent(next)}`);
    assert.match(register.html, /to continue to Fleet Planner/);
    const registered = await visitor.send('/register', { email, password, next });
    assert.equal(nextIn(registered), next);
    // The link in the mail opens another tab, which does not know `next`.
    const link = await mailedLink(service, 'confirm-email', email);
    await visitor.get(link);
    await visitor.send(link, {});
    const { html } = await visitor.get('/email/confirmed');
    const [, path = ''] = /href="([^"]+)">Continue to Fleet Planner</.exec(html) ?? [];
    const login = await visitor.get(path.replaceAll('&amp;', '&'));
    await visitor.get(login.location as string);
    const back = await visitor.send('/login', { login: email, password, next: nextIn(login) });
    await isAnswered(visitor, back.location as string);
    assert.ok(!visitor.cookies.has('going'));
  });

  it('a forgotten password continues from the mail', async () => {
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    await visitor.get(authorizePath(app.id));
    await visitor.get('/password/forgot');
    await visitor.send('/password/forgot', { email });
    const link = await mailedLink(service, 'reset-password', email);
    await visitor.get(link);
    const reset = await visitor.send(link, { password: newPassword });
    const next = nextIn(reset);
    const back = await visitor.send('/login', { login: email, password: newPassword, next });
    await isAnswered(visitor, back.location as string);
  });

  it('a password reset ends sessions and codes, and removes consents', async () => {
    const { visitor, email } = await signedIn(service);
    const tokens = await redeem(service, app, await codeFor(visitor, app.id));
    const code = await codeFor(visitor, app.id);
    await visitor.get('/password/forgot');
    await visitor.send('/password/forgot', { email });
    const link = await mailedLink(service, 'reset-password', email);
    await visitor.get(link);
    await visitor.send(link, { password: newPassword });
    assert.equal((await redeem(service, app, code)).body.error, 'invalid_grant');
    assert.equal((await request(service, '/oauth/userinfo', { token: tokens.body.access_token })).status, 401);
    await visitor.signIn(email, newPassword);
    assert.equal((await visitor.get(authorizePath(app.id))).status, 200);
  });

  it('deleting an application ends its codes, tokens and consents', async () => {
    const gone = await addApplication(service, { scopes: ['openid', 'offline_access'] });
    const { visitor } = await signedIn(service);
    const scope = 'openid offline_access';
    const tokens = await redeem(service, gone, await codeFor(visitor, gone.id, { scope }));
    const code = await codeFor(visitor, gone.id, { scope });
    const page = await visitor.get(authorizePath(gone.id, { prompt: 'consent' }));
    await service.context.database.db.deleteFrom('clients').where('id', '=', gone.id).execute();
    await service.context.database.bus.settle('', [{ kind: 'client', id: gone.id }]);
    assert.equal((await redeem(service, gone, code)).body.error, 'invalid_client');
    assert.equal((await request(service, '/oauth/userinfo', { token: tokens.body.access_token })).status, 401);
    assert.equal((await press(visitor, page, 'allow')).status, 400);
  });

  it('a missing verifier or another redirect URI uses up the code', async () => {
    const { visitor } = await signedIn(service);
    for (const wrong of [
      { code_verifier: undefined },
      { code_verifier: 'plain'.repeat(10) },
      { redirect_uri: 'https://app.example/other' },
    ]) {
      const code = await codeFor(visitor, app.id);
      assert.equal((await redeem(service, app, code, wrong)).body.error, 'invalid_grant');
      assert.equal((await redeem(service, app, code)).body.error, 'invalid_grant');
    }
    const code = await codeFor(visitor, app.id);
    assert.equal((await redeem(service, app, code, { redirect_uri: undefined })).body.error, 'invalid_request');
    assert.equal((await redeem(service, app, code)).status, 200);
    const late = await codeFor(visitor, app.id);
    service.advance(60_000);
    assert.equal((await redeem(service, app, late)).body.error, 'invalid_grant');
  });
});
