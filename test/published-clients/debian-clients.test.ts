import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { type Service, services } from '../harness/service.ts';
import { home, refreshed, signInByProgram, signOut } from './sign-in-by-program.ts';

/** Clients from Debian packages, with their scripts. */
const clients = [
  {
    ...{ name: 'Ruby oauth2', command: 'ruby', loads: ['-roauth2', '-e', ''] },
    ...{ script: 'ruby-oauth2-client.rb', debian: 'ruby-oauth2' },
  },
  {
    ...{ name: 'omniauth-openid-connect', command: 'ruby', loads: ['-romniauth_openid_connect', '-e', ''] },
    ...{ script: 'ruby-omniauth-client.rb', debian: 'ruby-omniauth-openid-connect' },
  },
  {
    ...{ name: 'Perl Net::OAuth2', command: 'perl', loads: ['-MNet::OAuth2', '-MJSON', '-e', ''] },
    ...{ script: 'perl-net-oauth2-client.pl', debian: 'libnet-oauth2-perl libjson-perl' },
  },
  {
    ...{ name: 'python-social-auth', command: 'python3', loads: ['-c', 'import social_core, jose'] },
    ...{ script: 'python-social-auth-client.py', debian: 'python3-social-auth-core python3-jose' },
  },
];

describe('Published clients from Debian', { timeout: 300_000 }, () => {
  const start = services('sqlite');
  let service: Service;
  let app: { id: string; secret?: string };
  before(async () => {
    service = await start();
    app = await addApplication(service, { trusted: true, scopes: identityScopes, post_logout_redirect_uris: [home] });
  });

  for (const { name, command, loads, script, debian } of clients) {
    it(`${name} signs in without PKCE, shows the user, and its tokens refresh and sign out`, async (test) => {
      if (spawnSync(command, loads).status !== 0) return test.skip(`it is not installed (on Debian: ${debian})`);
      const args = [fileURLToPath(new URL(script, import.meta.url))];
      const signedIn = await signInByProgram(service, app, { command, args });
      const { user } = signedIn.result;
      assert.deepEqual([user.sub, user.name, user.email], [signedIn.id, 'Ada Lovelace', signedIn.email]);
      await signOut(service, app, await refreshed(service, app, signedIn));
    });
  }
});
