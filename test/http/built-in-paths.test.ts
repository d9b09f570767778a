import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

/** The path segments of the spec's endpoints (4.1 to 4.5) that are not plural nouns. */
const wordsOfTheSpec = new Set(['login', 'refresh', 'register', 'logout']);
/** `/v1/email/confirmations` and `/v1/password/resets`: the resource is the last segment. */
const groups = new Set(['email', 'password']);
const oauth = /^\/v1\/oauth\/(token|revoke|introspect)$/;
const proxies = /^\/v1\/clients\/[a-z0-9]+(\/[a-z0-9]+)?\/(login|refresh|with\/\{provider\})$/;

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: object }>> };
}

/** `me` and `current` replace an id. */
const isId = (part: string) => /^\{[a-z_]+\}$/.test(part) || part === 'me' || part === 'current';
const isPluralNoun = (part: string) => /^[a-z]+(-[a-z]+)*s$/.test(part);

onBothEngines('Every built-in path under /v1', (engine) => {
  const start = services(engine);

  it('consists of lowercase plural nouns with dashes, and is no deeper than resource, id, resource', async () => {
    const { url } = await start();
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const own = Object.keys(paths).filter((path) => path.startsWith('/v1/'));
    assert.ok(own.length > 40, `${own.length} paths`);
    for (const path of own) {
      if (oauth.test(path) || proxies.test(path)) continue;
      const [, , ...parts] = path.split('/');
      assert.ok(parts.length <= 3, `${path} is too deep`);
      for (const [index, part] of parts.entries()) {
        const isKnown = wordsOfTheSpec.has(part) || (index === 0 && groups.has(part));
        assert.ok(isId(part) || isPluralNoun(part) || isKnown, `${path}: ${part}`);
      }
    }
    for (const path of ['/v1/invitations', '/v1/users/{id}/lockouts', '/v1/queued-jobs/{id}/retries']) {
      assert.ok(path in paths, path);
    }
  });

  it('rejects unknown parameters, except at OAuth endpoints, and unknown members of the body, except at the logout', async () => {
    const service = await start();
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const { body: document } = await request<{ paths: Record<string, Record<string, Operation>> }>(
      service,
      '/openapi.json',
    );
    const own = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/'));
    for (const [path, operations] of own) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        const url = path.replace(/\{[a-z_]+\}/g, '019f0000-0000-7000-8000-000000000000');
        const json = requestBody && (requestBody.content['application/json']?.example ?? {});
        const sent = { method: method.toUpperCase(), token, ...(json === undefined ? {} : { json }) };
        const { status, body } = await request(service, `${url}?nope=1`, sent);
        const isIgnored = oauth.test(path) || proxies.test(path);
        assert.equal(body.code === 'parameter_unknown', !isIgnored, `${method} ${path}: ${status} ${body.code}`);
        if (!isIgnored) assert.equal(status, 400, `${method} ${path}`);
      }
    }
    for (const [path, json] of [
      ['/v1/token-reports', { token: 'x' }],
      ['/v1/passkey-challenges', { type: 'get' }],
      ['/v1/change-tickets', {}],
      ['/v1/recovery-codes', {}],
      ['/v1/email/confirmations/x', {}],
      ['/v1/email/reversals/x', {}],
    ] as const) {
      const { status, body } = await request<{ errors: { field: string; code: string }[] }>(service, path, {
        token,
        json: { ...json, nope: 1 },
      });
      assert.deepEqual([status, body.errors[0]?.field, body.errors[0]?.code], [422, 'nope', 'unknown'], path);
    }
    const { status } = await request(service, '/v1/logout', { method: 'DELETE', token, json: { nope: 1 } });
    assert.equal(status, 200, 'a logout ignores its body');
  });
});
