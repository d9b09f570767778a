import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { type Service, services } from '../harness/service.ts';
import { bringPythonClients } from './bring-python-clients.ts';
import { home, signInByProgram, signOut } from './sign-in-by-program.ts';

describe('Published clients for Python', { timeout: 300_000 }, () => {
  const start = services('sqlite');
  let service: Service;
  let app: { id: string; secret?: string };
  let packages: string | undefined;
  before(async () => {
    packages = await bringPythonClients();
    service = await start();
    app = await addApplication(service, { trusted: true, scopes: identityScopes, post_logout_redirect_uris: [home] });
  });

  const signIn = (script: string) =>
    signInByProgram(service, app, {
      command: 'python3',
      args: [fileURLToPath(new URL(script, import.meta.url))],
      env: { PYTHONPATH: packages ?? '' },
    });

  it('Authlib signs in, checks the ID token, refreshes, reads userinfo, revokes and signs out', async (test) => {
    if (packages === undefined) return test.skip('they are not installed, and the package index cannot be reached');
    const signedIn = await signIn('authlib-client.py');
    const { claims, user, revoked, after } = signedIn.result;
    const { id, email } = signedIn;
    assert.deepEqual([claims.sub, claims.iss, claims.aud], [id, service.context.config.baseUrl, app.id]);
    assert.deepEqual([user.sub, user.name, user.email], [id, 'Ada Lovelace', email]);
    assert.deepEqual([revoked, after], [200, 401]);
    await signOut(service, app, signedIn);
  });

  it('requests-oauthlib signs in without PKCE, refreshes, reads userinfo and signs out', async (test) => {
    if (packages === undefined) return test.skip('they are not installed, and the package index cannot be reached');
    const signedIn = await signIn('requests-oauthlib-client.py');
    const { user } = signedIn.result;
    assert.deepEqual([user.sub, user.name, user.email], [signedIn.id, 'Ada Lovelace', signedIn.email]);
    await signOut(service, app, signedIn);
  });
});
