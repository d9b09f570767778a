import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { systemSource as source } from '../../src/http/request-source.ts';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { authenticatedBy } from '../../src/oauth/sessions/store/session-store.ts';
import { addUser } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { openSession } from '../harness/sessions.ts';

type Tokens = Record<'access_token' | 'id_token' | 'refresh_token', string>;

describe('ID tokens', () => {
  const start = services('sqlite');

  for (const [algorithm, digest] of [
    ['ES256', 'sha256'],
    ['RS256', 'sha256'],
    ['EdDSA', 'sha512'],
  ] as const) {
    it(`are signed with ${algorithm}, and a refresh keeps the claims of the login`, async () => {
      const service = await start({ env: { SIGNING_ALGORITHM: algorithm } });
      const { baseUrl } = service.context.config;
      const { id: userId } = await addUser(service.context);
      const { id: clientId, secret = '' } = await addApplication(service, {
        scopes: identityScopes,
        id_token_signed_response_alg: algorithm,
      });
      const signedInAt = service.context.now();
      const scopes = ['openid', 'offline_access'];
      const login = { userId, clientId, scopes, authentication: authenticatedBy(['pwd'], signedInAt), source };
      const session = await openSession(service, login);
      service.advance(120_000);
      const refresh = (refresh_token: string, scope = '') =>
        request<Tokens>(service, '/oauth/token', {
          form: { grant_type: 'refresh_token', refresh_token, client_id: clientId, client_secret: secret, scope },
        });
      const { body, status } = await refresh(service.sessions.makeRefreshToken(session));
      assert.equal(status, 200);
      const keySet = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
      const { payload, protectedHeader } = await jwtVerify(body.id_token, keySet, {
        issuer: baseUrl,
        audience: clientId,
        typ: 'JWT',
        currentDate: new Date(service.context.now()),
      });
      const { iat, exp, at_hash, ...claims } = payload;
      assert.equal(protectedHeader.alg, algorithm);
      assert.deepEqual(claims, {
        iss: baseUrl,
        aud: clientId,
        sub: userId,
        sid: session.id,
        auth_time: Math.floor(signedInAt / 1000),
        acr: 'urn:gatehouse:1',
        amr: ['pwd'],
      });
      assert.equal((exp as number) - (iat as number), 3600);
      const hash = createHash(digest).update(body.access_token).digest();
      assert.equal(at_hash, hash.subarray(0, hash.length / 2).toString('base64url'));

      const metadata = await request(service, '/.well-known/openid-configuration');
      assert.deepEqual(metadata.body.id_token_signing_alg_values_supported, [...new Set(['RS256', algorithm])]);
      const asAccess = await request(service, '/oauth/userinfo', { token: body.id_token });
      assert.equal(asAccess.status, 401, 'an ID token is not an access token');
      const narrowed = await refresh(body.refresh_token, 'offline_access');
      assert.equal(narrowed.status, 200);
      assert.equal('id_token' in narrowed.body, false, 'there is no ID token without openid');
    });
  }
});
