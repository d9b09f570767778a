import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { ask } from '../harness/ask.ts';
import { redirectUri, signedIn } from '../harness/authorizing.ts';
import { type Service, services } from '../harness/service.ts';
import { bringPythonClients } from './bring-python-clients.ts';

const home = 'https://app.example/signed-out';

describe('Published clients for Python', { timeout: 300_000 }, () => {
  const start = services('sqlite');
  let service: Service;
  let app: { id: string; secret?: string };
  let packages: string | undefined;
  before(async () => {
    packages = await bringPythonClients();
    service = await start();
    app = await addApplication(service, { trusted: true, scopes: identityScopes, postLogoutRedirectUris: [home] });
  });

  /** Runs a script that prints where the browser goes, reads where it came back to, and prints what it learnt. */
  async function signIn(script: string) {
    const person = await signedIn(service, { name: 'Ada Lovelace' });
    const path = fileURLToPath(new URL(script, import.meta.url));
    const child = spawn('python3', [path, service.url, app.id, app.secret ?? '', redirectUri], {
      env: { ...process.env, PYTHONPATH: packages ?? '' },
    });
    let said = '';
    let complaint = '';
    let isSent = false;
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const line = /^(.+)\n/.exec(said)?.[1];
      if (!line || isSent) return;
      isSent = true;
      const url = new URL(line);
      void person.visitor.get(url.pathname + url.search).then(({ location }) => child.stdin.end(`${location}\n`));
    });
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0, complaint);
    return { ...person, learnt: JSON.parse(said.split('\n')[1] ?? '') };
  }

  it('Authlib signs in, checks the ID token, refreshes, reads userinfo and revokes', async (test) => {
    if (!packages) return test.skip('the package index cannot be reached');
    const { id, email, learnt } = await signIn('authlib-client.py');
    const { claims, user, ...rest } = learnt;
    assert.deepEqual([claims.sub, claims.iss, claims.aud], [id, service.context.config.baseUrl, app.id]);
    assert.deepEqual([user.sub, user.name, user.email], [id, 'Ada Lovelace', email]);
    assert.deepEqual(rest, { revoked: 200, after: 401 });
  });

  it('requests-oauthlib signs in without PKCE, refreshes, reads userinfo and signs out', async (test) => {
    if (!packages) return test.skip('the package index cannot be reached');
    const { id, email, visitor, learnt } = await signIn('requests-oauthlib-client.py');
    const { user, id_token: id_token_hint, refresh_token } = learnt;
    assert.deepEqual([user.sub, user.name, user.email], [id, 'Ada Lovelace', email]);
    const query = new URLSearchParams({ id_token_hint, post_logout_redirect_uri: home });
    assert.equal((await visitor.get(`/oauth/logout?${query}`)).location, home);
    const form = { grant_type: 'refresh_token', refresh_token, client_id: app.id, client_secret: app.secret ?? '' };
    assert.equal((await ask(service, '/oauth/token', { form })).body.error, 'invalid_grant');
  });
});
