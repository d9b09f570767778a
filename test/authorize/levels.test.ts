import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { addApplication } from '../harness/applications.ts';
import { authorizationResponseIn, authorizePath, codeFor, redeem, signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const claims = (acr: object) => JSON.stringify({ id_token: { acr } });

onBothEngines('An authentication level that an application requests', (engine) => {
  const start = services(engine);
  let service: Service;
  let application: { id: string; secret?: string };
  before(async () => {
    service = await start();
    application = await addApplication(service, { scopes: ['openid', 'tokens:introspect'], trusted: true });
  });

  it('is met, or an error reports that it cannot be met', async () => {
    const { visitor } = await signedIn(service);
    const met = [
      { acr_values: 'urn:gatehouse:1' },
      { acr_values: 'urn:gatehouse:2 urn:gatehouse:1' },
      { acr_values: 'urn:elsewhere:gold' },
      { claims: claims({ essential: true, value: 'urn:gatehouse:1' }) },
      { claims: claims({ values: ['urn:elsewhere:gold'] }) },
      { max_age: '600' },
    ];
    for (const parameters of met) assert.ok(await codeFor(visitor, application.id, { scope: 'openid', ...parameters }));
    const unmet = [
      { acr_values: 'urn:gatehouse:2' },
      { acr_values: 'phr', prompt: 'none' },
      { claims: claims({ essential: true, values: ['phr', 'urn:gatehouse:2'] }) },
      { claims: claims({ essential: true, value: 'urn:elsewhere:gold' }) },
      { claims: claims({ essential: true, value: 'phr', values: ['urn:gatehouse:2'] }) },
    ];
    for (const parameters of unmet) {
      const visit = await visitor.get(authorizePath(application.id, { scope: 'openid', ...parameters }));
      assert.equal(
        authorizationResponseIn(visit).error,
        'unmet_authentication_requirements',
        JSON.stringify(parameters),
      );
    }
  });

  it('is in the access token, and introspection shows the current proof', async () => {
    const { visitor } = await signedIn(service);
    const { body } = await redeem(service, application, await codeFor(visitor, application.id, { scope: 'openid' }));
    const token = body.access_token;
    const payload = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    assert.deepEqual([payload.acr, payload.amr, typeof payload.auth_time], ['urn:gatehouse:1', ['pwd'], 'number']);
    const introspect = async () => {
      const form = { token, client_id: application.id, client_secret: String(application.secret) };
      return (await request<{ acr: string; auth_time: number }>(service, '/oauth/introspect', { form })).body;
    };
    assert.deepEqual((await introspect()).auth_time, payload.auth_time);
    service.advance(600_000);
    const proved = await request(service, '/v1/sessions/current/proofs', {
      token,
      json: { password: 'a long enough password' },
    });
    assert.equal(proved.status, 201, proved.text);
    assert.ok((await introspect()).auth_time >= payload.auth_time + 600);
  });

  it('is listed in the metadata', async () => {
    const { body } = await request(service, '/.well-known/openid-configuration');
    assert.deepEqual(body.acr_values_supported, ['urn:gatehouse:1', 'urn:gatehouse:2', 'phr']);
  });
});
