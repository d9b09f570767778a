import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

onBothEngines('Standards for all responses', (engine) => {
  const start = services(engine);
  let service: Service;
  let token: string;
  before(async () => {
    const contacts = 'mailto:security@example.com,https://example.com/report';
    service = await start({ env: { RATE_LIMIT: '600', SECURITY_CONTACT: contacts } });
    token = await logIn(service, 'admin@example.com', 'correct horse battery');
  });

  it('lists link to the other pages in Link (RFC 8288)', async () => {
    const links = async (path: string) => (await request(service, path, { token })).headers.get('link');
    const { baseUrl } = service.context.config;
    assert.equal(await links('/v1/clients?limit=1'), `<${baseUrl}/v1/clients?limit=1&page=2>; rel="next"`);
    const next = `<${baseUrl}/v1/clients?limit=1&page=3>; rel="next"`;
    const second = await links('/v1/clients?limit=1&page=2');
    assert.equal(second?.replace(`${next}, `, ''), `<${baseUrl}/v1/clients?limit=1&page=1>; rel="prev"`);
    assert.match((await links('/v1/clients?limit=1&cursor=')) ?? '', /^<[^>]+cursor=[^>]+>; rel="next"$/);
    assert.equal(await links('/v1/clients'), null);
  });

  it('responses contain the rest of the rate limit, in the current and the older format', async () => {
    const { headers } = await request(service, '/v1/users/me', { token });
    assert.equal(headers.get('ratelimit-policy'), '"default";q=600;w=60');
    const [, left, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    assert.deepEqual([left, seconds], [headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')]);
  });

  it('security.txt names the contact for vulnerabilities (RFC 9116), if the operator sets one', async () => {
    const { status, text, headers } = await request(service, '/.well-known/security.txt');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    assert.match(text, /^Contact: mailto:security@example\.com\nContact: https:\/\/example\.com\/report\nExpires: /);
    const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '');
    assert.ok(expires > service.context.now() && expires < service.context.now() + 366 * 86_400_000);
    const without = await start();
    assert.equal((await request(without, '/.well-known/security.txt')).status, 404);
  });

  it('/v1/resources takes no parameters, and its response is described', async () => {
    const refused = await request(service, '/v1/resources?nope=1', { token });
    assert.deepEqual([refused.status, refused.body.code], [400, 'parameter_unknown']);
    const { body } = await request<{
      paths: Record<string, { get: { responses: Record<string, { content: object }> } }>;
    }>(service, '/openapi.json');
    for (const path of ['/v1/resources', '/.well-known/openid-configuration', '/.well-known/jwks.json']) {
      assert.ok(body.paths[path]?.get.responses['200']?.content, path);
    }
  });
});
