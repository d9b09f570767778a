import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import { addApplication } from '../harness/applications.ts';
import { signedIn } from '../harness/authorizing.ts';
import { onBothEngines } from '../harness/engines.ts';
import { relyingParties } from '../harness/relying-party.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import type { Visitor } from '../harness/visitor.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

interface Tokens {
  readonly access_token: string;
  readonly error: string;
}

onBothEngines('The session of a device', (engine) => {
  const start = services(engine);
  const startParty = relyingParties();
  let service: Service;
  let visitor: Visitor;
  before(async () => {
    service = await start();
    ({ visitor } = await signedIn(service));
  });

  const configOf = (id: string) => {
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
    return openid.discovery(new URL(service.context.config.baseUrl), id, undefined, openid.None(), options);
  };
  /** The device code of a program that the user has allowed. */
  const allowedCode = async (config: openid.Configuration, scope: string): Promise<string> => {
    const { user_code, device_code } = await openid.initiateDeviceAuthorization(config, { scope });
    await visitor.get('/device');
    const ticked = { 'scope:offline_access': 'on', 'scope:users:read': 'on' };
    const decided = await visitor.send('/device/decision', { user_code, decision: 'allow', ...ticked });
    assert.equal(decided.status, 303, decided.html);
    return device_code;
  };
  const redeem = (client_id: string, device_code: string, more: Record<string, string> = {}) =>
    request<Tokens>(service, '/oauth/token', { form: { grant_type: grantType, client_id, device_code, ...more } });

  it('is refreshed only with the DPoP key of its public client (RFC 9449 5)', async () => {
    const { id } = await addApplication(service, { public: true, scopes: ['openid', 'offline_access'] });
    const config = await configOf(id);
    const device_code = await allowedCode(config, 'openid offline_access');
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    const tokens = await openid.genericGrantRequest(config, grantType, { device_code }, { DPoP });
    assert.equal(tokens.token_type, 'dpop');
    const refresh = (options?: openid.DPoPOptions) =>
      openid.refreshTokenGrant(config, tokens.refresh_token as string, undefined, options);
    const otherKey = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
    for (const options of [undefined, { DPoP: otherKey }])
      await assert.rejects(refresh(options), { error: 'invalid_grant' });
    assert.ok((await refresh({ DPoP })).access_token);
  });

  it('does not begin with a request for another audience, which keeps the code', async () => {
    const { id } = await addApplication(service, { public: true });
    const code = await allowedCode(await configOf(id), 'openid');
    const wrong = await redeem(id, code, { resource: `${service.context.config.baseUrl}/mcp` });
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'invalid_target']);
    assert.equal((await redeem(id, code)).status, 200);
  });

  it('ends with a back-channel logout, if it began with the scope openid', async () => {
    const party = await startParty();
    const logout = { backchannel_logout_uri: `${party.url}/logout` };
    const { id } = await addApplication(service, { public: true, scopes: ['openid', 'users:read'], ...logout });
    const config = await configOf(id);
    await allowedCode(config, 'openid');
    const { body: tokens } = await redeem(id, await allowedCode(config, 'openid'));
    assert.equal((await redeem(id, await allowedCode(config, 'users:read'))).status, 200);
    await visitor.get('/settings/sessions');
    await visitor.send('/settings/sessions/end-others', {});
    await service.queue.runDueJobs();
    const sids = party.posts.map((post) => decodeJwt(post.get('logout_token') ?? '').sid);
    assert.deepEqual(sids, [decodeJwt(tokens.access_token).sid]);
  });
});
