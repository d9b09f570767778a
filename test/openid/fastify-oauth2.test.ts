import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import oauth2, { type OAuth2Namespace } from '@fastify/oauth2';
import fastify, { type FastifyInstance } from 'fastify';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { signedIn } from '../harness/authorizing.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

describe('@fastify/oauth2', () => {
  const start = services('sqlite');
  let service: Service;
  let application: FastifyInstance;
  let url: string;
  before(async () => {
    service = await start();
    const redirect_uris = ['http://127.0.0.1/login/callback'];
    const { id, secret = '' } = await addApplication(service, { trusted: true, scopes: identityScopes, redirect_uris });
    application = fastify();
    await application.register(oauth2, {
      name: 'gatehouse',
      scope: ['openid', 'profile', 'email', 'offline_access'],
      credentials: { client: { id, secret } },
      startRedirectPath: '/login',
      callbackUri: () => `${url}/login/callback`,
      discovery: { issuer: service.url },
    });
    const { gatehouse } = application as FastifyInstance & { gatehouse: OAuth2Namespace };
    application.get('/login/callback', async (request, reply) => {
      const { token } = await gatehouse.getAccessTokenFromAuthorizationCodeFlow(request, reply);
      const renewed = await gatehouse.getNewAccessTokenUsingRefreshToken(token, {});
      const user = await gatehouse.userinfo(renewed.token.access_token);
      await gatehouse.revokeToken(renewed.token, 'refresh_token', undefined);
      return { user, token: renewed.token.access_token };
    });
    url = await application.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => application.close());

  it('signs in by discovery with PKCE, refreshes, reads userinfo and revokes', async () => {
    const { id, email, visitor } = await signedIn(service, { name: 'Ada Lovelace' });
    const atApplication = new Visitor({ url });
    const sent = new URL((await atApplication.get('/login')).location ?? '');
    assert.equal(sent.searchParams.get('code_challenge_method'), 'S256');
    const back = new URL((await visitor.get(sent.pathname + sent.search)).location ?? '');
    const response = await atApplication.get(back.pathname + back.search);
    assert.equal(response.status, 200, response.html);
    const { user, token } = JSON.parse(response.html) as { user: Record<string, unknown>; token: string };
    assert.deepEqual([user.sub, user.name, user.email], [id, 'Ada Lovelace', email]);
    const { status } = await fetch(`${service.url}/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(status, 401, 'revoked');
  });
});
