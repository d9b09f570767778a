import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { before, it } from 'node:test';
import { rotateKeys } from '../extensions/admin-commands/revoke-everything.ts';
import { commitAndInvalidate } from '../src/database/bus.ts';
import { systemSource } from '../src/http/request-source.ts';
import { addClient, addLogin, password } from './harness/accounts.ts';
import { onBothEngines } from './harness/engines.ts';
import { request } from './harness/request.ts';
import { type Service, services } from './harness/service.ts';

type Claims = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());

onBothEngines('Bearer tokens', (engine) => {
  const start = services(engine);
  let service: Service;
  let token: string;
  let header: Claims;
  let claims: Claims;
  before(async () => {
    service = await start();
    token = await login(service);
    [header, claims] = token.split('.').slice(0, 2).map(decode) as [Claims, Claims];
  });

  async function login(on: Service): Promise<string> {
    const { email } = await addLogin(on);
    const form = { email, password };
    return String((await request(on, '/v1/clients/web/admin/login', { form })).body.access_token);
  }

  /** Sends a token to an endpoint where a valid token gets another error, so that nothing changes. */
  const present = async (value: string) => {
    const { status, body, headers } = await request(service, '/v1/logout?token=x', { method: 'DELETE', token: value });
    return { status, code: body.code, challenge: headers.get('www-authenticate') ?? '' };
  };
  const refused = async (value: string, code: string) => {
    const response = await present(value);
    assert.deepEqual([response.status, response.code], [401, code], value);
    assert.match(
      response.challenge,
      /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+"$/,
    );
  };

  it('are refused unless this service issued them as access tokens for itself', async () => {
    const [, body, signature] = token.split('.') as [string, string, string];
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const foreign = (head: Claims) => {
      const data = `${encode(head)}.${body}`;
      return `${data}.${sign('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    };
    const bySelf = (changed: Claims, typ = 'at+jwt') =>
      service.keys.signingKeys.sign({ ...claims, ...changed }, { typ });
    const publicKey = service.keys.signingKeys.jwks().keys.find(({ kty }) => kty === 'EC') ?? assert.fail('no EC key');
    for (const wrong of [
      'x',
      'x.y.z',
      `${token}x`,
      token.toLowerCase(),
      `${encode({ ...header, alg: 'none' })}.${body}.`,
      `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
      `${encode({ ...header, alg: 'HS256' })}.${body}.${Buffer.from(String(publicKey.x)).toString('base64url')}`,
      foreign(header),
      foreign({ ...header, kid: 'another' }),
      foreign({ ...header, jwk: {} }),
      bySelf({ iss: 'https://elsewhere.example' }),
      bySelf({ aud: 'https://elsewhere.example' }),
      bySelf({ aud: [] }),
      bySelf({ aud: [{}] }),
      bySelf({ aud: [`${service.context.config.baseUrl}.evil`, `${service.context.config.baseUrl}/mcp`] }),
      bySelf({}, 'JWT'),
      bySelf({ sid: undefined }),
      bySelf({ exp: 'never' }),
    ])
      await refused(wrong, 'token_malformed');
    await refused(bySelf({ exp: Math.floor(service.context.now() / 1000) - 1 }), 'token_expired');
    await refused(bySelf({ sid: 'no such session' }), 'token_revoked');
    await refused(bySelf({ sid: 'no such session', sub: 'nobody' }), 'user_gone');
    await refused(bySelf({ sid: 'no such session', client_id: 'nothing' }), 'client_revoked');
  });

  it('are reported as missing, without an error in the challenge', async () => {
    for (const headers of [{}, { authorization: 'Basic abc' }] as Record<string, string>[]) {
      const response = await request(service, '/v1/logout', { method: 'DELETE', headers });
      assert.deepEqual([response.status, response.body.code], [401, 'token_missing']);
      assert.ok(!response.headers.get('www-authenticate')?.includes('error='));
    }
    assert.equal((await present('')).code, 'token_missing');
  });

  it('are accepted only in the Authorization header, because URLs and bodies may be logged', async () => {
    const path = '/v1/users/me';
    assert.equal((await request(service, path, { token })).status, 200);
    const elsewhere = [
      await request(service, `${path}?access_token=${token}`),
      await request(service, path, { method: 'PATCH', form: { access_token: token, name: 'x' } }),
      await request(service, path, { headers: { cookie: `access_token=${token}` } }),
      await request(service, path, { headers: { 'x-access-token': token } }),
    ];
    assert.deepEqual(
      elsewhere.map(({ status, body }) => [status, body.code]),
      elsewhere.map(() => [401, 'token_missing']),
    );
  });

  it('become invalid immediately when their user is deleted', async () => {
    const tokenOfDeleted = await login(service);
    const { sub } = decode(tokenOfDeleted.split('.')[1] as string);
    await service.verifier.verify(tokenOfDeleted, null);
    await commitAndInvalidate(service.context.database, async (tx, invalidate) => {
      await tx.deleteFrom('users').where('id', '=', sub).execute();
      invalidate({ kind: 'user', id: sub });
    });
    await refused(tokenOfDeleted, 'user_gone');
  });

  it("of a client act for its owner without the owner's roles", async () => {
    const owner = await addLogin(service, { roles: ['admin'] });
    const { id, secret } = await addClient(service, { userId: owner.id });
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    const { body } = await request(service, '/v1/oauth/token', { form });
    const caller = await service.verifier.verify(String(body.access_token), null);
    assert.deepEqual([caller.kind, caller.userId, caller.clientId, caller.roles], ['client', owner.id, id, []]);
  });

  it('stay valid after a key rotation', async () => {
    const before = await login(service);
    await rotateKeys(service.context, service.keys, { source: systemSource });
    service.advance(11 * 60_000);
    const after = await login(service);
    assert.notEqual(decode(before.split('.')[0] as string).kid, decode(after.split('.')[0] as string).kid);
    for (const value of [before, after]) await service.verifier.verify(value, null);
  });
});
