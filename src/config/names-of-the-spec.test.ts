import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseConfig } from './config.ts';

const fromFile = (file: Record<string, unknown>, env: Record<string, string> = {}) => parseConfig(file, env, '/srv');

it("gatehouse.config.ts accepts the specification's names for the admin web client", () => {
  const names = { CLIENT_WEB_ADMIN_ID: 'console', CLIENT_WEB_ADMIN_SECRET: 'made with openssl' };
  const web = { path: 'web/admin', id: 'console', secret: 'made with openssl' };
  assert.deepEqual(fromFile(names).proxiedClients, [web]);
  const { proxiedClients } = fromFile(names, { CLIENT_WEB_ADMIN_SECRET: 'of the environment' });
  assert.deepEqual(proxiedClients, [{ ...web, secret: 'of the environment' }]);
  assert.throws(() => fromFile({ CLIENT_WEB_ADMIN_ID: 'console' }), /CLIENT_WEB_ADMIN_SECRET is missing/);
  assert.throws(() => fromFile({ ...names, CLIENT_WEB_ADMIN_ID: 7 }), /CLIENT_WEB_ADMIN_ID: got 7; expected text/);
  assert.throws(() => fromFile({ CLIENT_WEB: 'x' }), /CLIENT_WEB is not a setting/);
});

it('login-page-url may begin with a slash', () => {
  assert.equal(fromFile({ 'login-page-url': '/login' }).loginPageUrl, 'login');
  assert.equal(fromFile({}, { LOGIN_PAGE_URL: '/account/entry' }).loginPageUrl, 'account/entry');
  for (const invalid of ['//login', '/', '../login']) {
    assert.throws(() => fromFile({ 'login-page-url': invalid }), /login-page-url: got .*expected a view name/);
  }
});

it('a setting with both of its names is an error, because one of them would have no effect', () => {
  assert.throws(
    () => fromFile({ loginPageUrl: 'login', 'login-page-url': 'entry' }),
    /"login-page-url" is another name of a setting that is already set/,
  );
  assert.equal(fromFile({ loginPageUrl: undefined, 'login-page-url': 'entry' }).loginPageUrl, 'entry');
});
