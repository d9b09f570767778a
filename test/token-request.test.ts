import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';
import { addRequesters, byCredentials, expectRefusal, requestBy } from './harness/token-requests.ts';

onBothEngines('A token request', (engine) => {
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

  const cases: [grant: string, parameter: string][] = [
    ['password', 'grant_type'],
    ['password', 'username'],
    ['password', 'password'],
    ['refresh_token', 'refresh_token'],
  ];
  for (const [grant, parameter] of cases) {
    it(`requires exactly one ${parameter}, as text, for ${grant}`, async () => {
      const good: Record<string, string> = asClient({
        grant_type: grant,
        username: user.email,
        password,
        refresh_token: 'x.1.y',
      });
      const { [parameter]: _left, ...without } = good;
      const form = new URLSearchParams(good).toString();
      expectRefusal(await token(without), 400, 'invalid_request');
      expectRefusal(await token({ ...good, [parameter]: '' }), 400, 'invalid_request');
      expectRefusal(await token(`${form}&${parameter}=again`), 400, 'invalid_request');
      for (const value of [{ a: 1 }, ['x'], 7, true])
        expectRefusal(
          await request(service, '/v1/oauth/token', { json: { ...good, [parameter]: value } }),
          400,
          'invalid_request',
        );
      const broken = form.replace(`${parameter}=`, `${parameter}=%ff`);
      expectRefusal(await token(broken), 400, 'invalid_request');
      const long = await token({ ...good, [parameter]: 'x'.repeat(1_000_000) });
      assert.equal(long.status, 400);
      const longer = await token({ ...good, [parameter]: 'x'.repeat(1_100_000) });
      assert.equal(longer.status, 413);
      assert.equal(longer.body.error, 'invalid_request');
    });
  }

  for (const parameter of ['client_id', 'client_secret', 'scope']) {
    it(`is refused with a ${parameter} that is repeated, not text, not UTF-8 or too long`, async () => {
      const good: Record<string, string> = asPersonal({ scope: 'cars:read' });
      const form = new URLSearchParams(good).toString();
      expectRefusal(await token(`${form}&${parameter}=again`), 400, 'invalid_request');
      expectRefusal(await token(form.replace(`${parameter}=`, `${parameter}=%ff`)), 400, 'invalid_request');
      const json = { ...good, [parameter]: { a: 1 } };
      expectRefusal(await request(service, '/v1/oauth/token', { json }), 400, 'invalid_request');
      const long = await token({ ...good, [parameter]: 'x'.repeat(1_000_000) });
      assert.ok([400, 401].includes(long.status), String(long.status));
    });
  }

  it('is refused with a body of another type and with an empty body', async () => {
    const path = '/v1/oauth/token';
    const xml = await request(service, path, { form: '<a/>', headers: { 'content-type': 'text/xml' } });
    assert.deepEqual([xml.status, xml.body.error], [415, 'invalid_request']);
    expectRefusal(await request(service, path, { method: 'POST' }), 400, 'invalid_request');
    expectRefusal(
      await request(service, path, { form: '{', headers: { 'content-type': 'application/json' } }),
      400,
      'invalid_request',
    );
    assert.equal((await request(service, path)).status, 405);
  });
});
