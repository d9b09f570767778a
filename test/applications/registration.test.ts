import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import type { FieldError } from '../../src/platform/errors.ts';
import { password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addOwners, grantClient, type Owner, type Row, rowOf, rowsOf } from '../harness/owners.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const redirect_uris = ['https://app.example/callback'];
const wrongFields = ({ body }: JsonResponse) =>
  ((body.errors ?? []) as FieldError[]).map(({ field, code }) => `${field} ${code}`);

onBothEngines('Applications in the API', (engine) => {
  const start = services(engine);
  let service: Service;
  let ann: Owner;
  let bob: Owner;
  let admin: Owner;
  before(async () => {
    service = await start();
    ({ ann, bob, admin } = await addOwners(service));
  });
  const requestAs = (method: string, path: string, { token }: Owner, json?: unknown) =>
    request(service, path, { method, token, ...(json === undefined ? {} : { json }) });
  const make = (owner: Owner, fields: object = {}) =>
    requestAs('POST', '/v1/clients', owner, { type: 'application', name: 'Notes', redirect_uris, ...fields });

  it('can be created by every user, with a secret that is shown once', async () => {
    const made = await make(ann, {
      homepage_uri: 'https://app.example/',
      post_logout_redirect_uris: ['https://app.example/out'],
    });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const { client_secret, id, created_at: _at, updated_at: _too, ...rest } = rowOf(made);
    assert.deepEqual(rest, {
      client_id: id,
      type: 'application',
      name: 'Notes',
      scopes: ['openid', 'profile', 'email', 'phone', 'address', 'offline_access'],
      public: false,
      redirect_uris,
      post_logout_redirect_uris: ['https://app.example/out'],
      homepage_uri: 'https://app.example/',
      logo_uri: null,
      tos_uri: null,
      policy_uri: null,
      backchannel_logout_uri: null,
      trusted: false,
      require_pkce: false,
      id_token_signed_response_alg: null,
      id_token_claims: true,
      default_max_age: null,
      token_endpoint_auth_method: null,
      jwks: null,
      jwks_uri: null,
      require_pushed_authorization_requests: false,
      require_signed_request_object: false,
      dpop_bound_access_tokens: false,
      fapi: false,
      registration: null,
      realm: null,
      user_id: ann.id,
    });
    assert.equal((await grantClient(service, { id }, client_secret)).status, 200);
    const again = await requestAs('POST', `/v1/clients/${id}/secrets`, ann, {});
    assert.equal(again.status, 201);
    assert.equal((await grantClient(service, { id }, client_secret)).status, 401);
    assert.equal((await grantClient(service, { id }, rowOf(again).client_secret)).status, 200);
    assert.equal((await requestAs('GET', `/v1/clients/${id}`, bob)).status, 404);
    const found = await requestAs('GET', '/v1/clients?search=type:application', ann);
    assert.deepEqual(
      rowsOf(found).map((row) => row.id),
      [id],
    );
    assert.equal((await requestAs('DELETE', `/v1/clients/${id}`, ann)).status, 204);
  });

  it('have no secret if they are public, and cannot get one', async () => {
    const made = rowOf(
      await make(ann, { public: true, redirect_uris: ['com.example.notes:/cb', 'http://127.0.0.1/cb'] }),
    );
    assert.deepEqual([made.public, 'client_secret' in made], [true, false]);
    const path = `/v1/clients/${made.id}`;
    assert.equal((await requestAs('POST', `${path}/secrets`, ann, {})).status, 409);
    const opened = await requestAs('PATCH', path, ann, { public: false });
    assert.equal(opened.status, 422, 'public cannot be changed later');
  });

  it('are refused with the invalid field and the reason', async () => {
    const refusals: [object, string][] = [
      [{ redirect_uris: undefined }, 'redirect_uris required'],
      [{ redirect_uris: ['http://localhost.evil/cb'] }, 'redirect_uris insecure'],
      [{ redirect_uris: ['https://a@b.example/'] }, 'redirect_uris userinfo'],
      [{ post_logout_redirect_uris: ['https://app.example/#x'] }, 'post_logout_redirect_uris fragment'],
      [{ homepage_uri: 'http://app.example' }, 'homepage_uri insecure'],
      [{ logo_uri: 'data:image/png,x' }, 'logo_uri insecure'],
      [{ backchannel_logout_uri: 'http://10.0.0.1/out' }, 'backchannel_logout_uri insecure'],
      [{ name: 'Go\u200bogle' }, 'name characters'],
      [{ name: 'elgooG\u202e' }, 'name characters'],
      [{ name: 'G\u043eogle' }, 'name characters'],
      [{ scopes: ['nothing:read'] }, 'scopes unknown'],
      [{ trusted: true }, 'trusted forbidden'],
      [{ type: 'personal', redirect_uris: undefined, public: true }, 'public forbidden'],
      [{ type: 'personal' }, 'redirect_uris forbidden'],
    ];
    for (const [fields, expected] of refusals) {
      const response = await make(ann, fields);
      assert.deepEqual([response.status, ...wrongFields(response)], [422, expected], JSON.stringify(fields));
    }
    assert.equal(
      (await make(ann, { redirect_uris: [], name: 'Für Geräte' })).status,
      201,
      'an application for devices needs no redirect URI',
    );
  });

  it('become trusted only by an administrator, and then keep their scopes and redirect URIs', async () => {
    const { id } = rowOf(await make(ann));
    const path = `/v1/clients/${id}`;
    assert.deepEqual(wrongFields(await requestAs('PATCH', path, ann, { trusted: true })), ['trusted forbidden']);
    assert.equal(rowOf(await requestAs('PATCH', path, admin, { trusted: true })).trusted, true);
    const moved = await requestAs('PATCH', path, ann, { redirect_uris: ['https://evil.example/cb'], scopes: ['*'] });
    assert.deepEqual(wrongFields(moved), ['scopes forbidden', 'redirect_uris forbidden']);
    assert.equal((await requestAs('PATCH', path, ann, { logo_uri: 'https://app.example/logo.png' })).status, 200);
    const without = await requestAs('PATCH', path, ann, {
      trusted: false,
      redirect_uris: ['https://other.example/cb'],
    });
    assert.deepEqual([without.status, rowOf(without).trusted], [200, false]);
  });

  it('can be sent back by PUT as they were read, and PUT requires redirect_uris', async () => {
    const made = rowOf(await make(ann, { public: true, logo_uri: 'https://app.example/logo.png' }));
    const path = `/v1/clients/${made.id}`;
    const whole = rowOf(await requestAs('GET', path, ann));
    const again = await requestAs('PUT', path, ann, whole);
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(rowOf(again), whole);
    const without = await requestAs('PUT', path, ann, { name: 'Notes' });
    assert.deepEqual([without.status, ...wrongFields(without)], [422, 'redirect_uris required']);
    const short = rowOf(await requestAs('PUT', path, ann, { name: 'Notes', redirect_uris }));
    assert.deepEqual([short.public, short.logo_uri, (short.scopes as string[])[0]], [true, null, 'openid']);
  });

  it('change immediately, also in the cache of clients', async () => {
    const { id } = rowOf(await make(ann, { scopes: ['openid', 'clients:read'] }));
    assert.deepEqual((await service.clients.find(id))?.redirect_uris, redirect_uris);
    const uris = ['https://app.example/other'];
    const changed = await requestAs('PATCH', `/v1/clients/${id}`, ann, { redirect_uris: uris, scopes: ['openid'] });
    assert.equal(changed.status, 200, changed.text);
    const found = await service.clients.find(id);
    assert.deepEqual([found?.redirect_uris, found?.scopes], [uris, ['openid']]);
    const events = await requestAs('GET', `/v1/events?search=type:client.updated;client_id:${id}`, admin);
    const [event = assert.fail('no event')] = rowsOf(events);
    const { changes } = event.data as { changes: object };
    assert.deepEqual(changes, {
      scopes: { from: ['openid', 'clients:read'], to: ['openid'] },
      redirect_uris: { from: redirect_uris, to: uris },
    });
  });

  it('cannot have a name like that of the service, unless an administrator creates them', async () => {
    for (const name of ['Gatehouse', 'gate house support', 'G4teh0use', 'Ｇatehouse'])
      assert.deepEqual(wrongFields(await make(ann, { name })), ['name forbidden'], name);
    assert.equal((await make(admin, { name: 'Gatehouse companion' })).status, 201);
  });

  it("get no scopes that their creator's token lacks", async () => {
    const form = { email: ann.email, password, scope: 'clients:write' };
    const token = String((await request(service, '/v1/clients/web/admin/login', { form })).body.access_token);
    assert.equal((await make({ ...ann, token }, { scopes: ['openid', 'email'] })).status, 201);
    assert.deepEqual(wrongFields(await make({ ...ann, token }, { scopes: ['users:read'] })), ['scopes beyond_own']);
  });

  it('keep their keys and redirect URIs if the token of a change lacks one of their scopes', async () => {
    const { publicKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const jwks_uri = 'https://keys.example/jwks';
    const token_endpoint_auth_method = 'private_key_jwt';
    const uris = ['https://evil.example/callback'];
    const narrow = async (owner: Owner, scope: string) => {
      const form = { email: owner.email, password, scope };
      const { body } = await request(service, '/v1/clients/web/admin/login', { form });
      return { ...owner, token: String(body.access_token) };
    };
    const { id } = rowOf(await make(ann, { scopes: ['openid', 'email', 'users:read'], jwks }));
    const path = `/v1/clients/${id}`;
    const other = { jwks: { keys: [...jwks.keys, ...jwks.keys] } };
    for (const caller of [await narrow(ann, 'clients:write'), await narrow(admin, 'clients:write')]) {
      const changes = [other, { jwks: null, jwks_uri }, { token_endpoint_auth_method }, { redirect_uris: uris }];
      for (const change of changes) {
        for (const json of [change, { ...change, scopes: ['openid'] }]) {
          const { status, text } = await requestAs('PATCH', path, caller, json);
          assert.equal(status, 403, `${JSON.stringify(json)}: ${text}`);
        }
      }
      const rows = [{ id, redirect_uris: uris }];
      const { body } = await requestAs('PATCH', '/v1/clients/batches', caller, { rows });
      assert.deepEqual((body.data as Row[])[0]?.status, 403);
      assert.equal((await requestAs('PUT', path, caller, { name: 'Notes', redirect_uris: uris, jwks })).status, 403);
      const kept = await requestAs('PATCH', path, caller, { name: 'Memos', redirect_uris, jwks });
      assert.equal(kept.status, 200, kept.text);
    }
    const enough = await requestAs('PATCH', path, await narrow(ann, 'clients:write users:read'), other);
    assert.equal(enough.status, 200, enough.text);
    const identityOnly = rowOf(await make(ann));
    const moved = { redirect_uris: ['https://app.example/other'] };
    const ofIdentity = await requestAs(
      'PATCH',
      `/v1/clients/${identityOnly.id}`,
      await narrow(ann, 'clients:write'),
      moved,
    );
    assert.equal(ofIdentity.status, 200, ofIdentity.text);
  });
});
