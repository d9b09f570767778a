import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { identityScopes } from '../../src/oauth/clients/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { redirectUri, signedIn } from '../harness/authorizing.ts';
import { services } from '../harness/service.ts';

const script = fileURLToPath(new URL('authlib-client.py', import.meta.url));
const isInstalled = spawnSync('python3', ['-c', 'import authlib.jose, requests']).status === 0;

describe("Python's Authlib", () => {
  const start = services('sqlite');
  const skip = isInstalled ? false : 'Authlib is not installed (on Debian: python3-authlib)';

  it('signs in, checks the ID token, refreshes, reads userinfo and revokes', { skip }, async () => {
    const service = await start();
    const app = await addApplication(service, { trusted: true, scopes: identityScopes });
    const { id, email, visitor } = await signedIn(service);
    const child = spawn('python3', [script, service.url, app.id, app.secret ?? '', redirectUri]);
    let said = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const line = /^(.+)\n$/.exec(said)?.[1];
      if (!line) return;
      const url = new URL(line);
      void visitor.get(url.pathname + url.search).then(({ location }) => child.stdin.end(`${location}\n`));
    });
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0, complaint);
    const { claims, user, ...rest } = JSON.parse(said.split('\n')[1] ?? '');
    assert.deepEqual([claims.sub, claims.iss, claims.aud], [id, service.context.config.baseUrl, app.id]);
    assert.deepEqual(user, { sub: id, email, email_verified: true });
    assert.deepEqual(rest, { revoked: 200, after: 401 });
  });
});
