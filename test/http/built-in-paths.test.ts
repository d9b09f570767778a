import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { services } from '../harness/service.ts';

/** The path segments of the spec's endpoints (4.1 to 4.5) that are not plural nouns. */
const wordsOfTheSpec = new Set(['login', 'refresh', 'register', 'logout']);
/** `/v1/email/confirmations` and `/v1/password/resets`: the resource is the last segment. */
const groups = new Set(['email', 'password']);
const oauth = /^\/v1\/oauth\/(token|revoke|introspect)$/;
const proxies = /^\/v1\/clients\/[a-z0-9]+(\/[a-z0-9]+)?\/(login|refresh|with\/\{provider\})$/;

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
});
