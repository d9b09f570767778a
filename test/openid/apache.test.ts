import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { addApplication } from '../harness/applications.ts';
import { browsers } from '../harness/browser.ts';
import { services } from '../harness/service.ts';

/** The paths of Debian, below another root if one is configured. */
const root = process.env.APACHE_ROOT ?? '';
const apache = `${root}/usr/sbin/apache2`;
const modules = `${root}/usr/lib/apache2/modules`;
const isInstalled = existsSync(apache) && existsSync(`${modules}/mod_auth_openidc.so`);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const configuration = (dir: string, port: number, issuer: string, client: { id: string; secret?: string }) => `
ServerRoot ${dir}
ServerName 127.0.0.1
PidFile ${dir}/apache.pid
DefaultRuntimeDir ${dir}
ErrorLog ${dir}/error.log
Listen 127.0.0.1:${port}
${userInfo().uid === 0 ? 'User nobody\nGroup nogroup' : ''}
${['mpm_prefork', 'authn_core', 'authz_core', 'authz_user', 'headers', 'dir', 'auth_openidc']
  .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  .join('\n')}
StartServers 1
DocumentRoot ${dir}/pages
DirectoryIndex index.html
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${client.id}
OIDCClientSecret ${client.secret}
OIDCRedirectURI http://127.0.0.1:${port}/secure/callback
OIDCCryptoPassphrase a-passphrase-of-this-test
OIDCScope "openid profile email offline_access"
OIDCRemoteUserClaim sub
<Location /secure>
  AuthType openid-connect
  Require valid-user
  Header always set Cache-Control "no-store"
  Header always set X-User "expr=%{REMOTE_USER}"
  Header always set X-Email "%{OIDC_CLAIM_email}e"
  Header always set X-Name "%{OIDC_CLAIM_name}e"
  Header always set X-Token "%{OIDC_access_token}e"
</Location>
`;

describe("Apache's mod_auth_openidc", () => {
  const start = services('sqlite');
  const open = browsers();
  const skip = isInstalled ? false : 'it is not installed (on Debian: libapache2-mod-auth-openidc)';
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-apache-'));
  let child: ChildProcess | undefined;
  after(async () => {
    if (child?.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(dir, { recursive: true });
  });

  async function startApache(config: string, url: string): Promise<void> {
    mkdirSync(join(dir, 'pages/secure'), { recursive: true });
    for (const page of ['secure/index.html', 'bye.html']) writeFileSync(join(dir, 'pages', page), page);
    writeFileSync(join(dir, 'apache.conf'), config);
    const env = { ...process.env, LD_LIBRARY_PATH: `${root}/usr/lib/x86_64-linux-gnu` };
    child = spawn('sh', ['-c', `chmod -R a+rX ${dir}; exec ${apache} -X -f ${dir}/apache.conf`], { env });
    const ended = once(child, 'exit').then(() => true);
    for (;;) {
      const responses = await fetch(`${url}/bye.html`).then(
        () => true,
        () => false,
      );
      if (responses) return;
      const isOver = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 50, false))]);
      if (isOver) throw new Error(`Apache did not start: see ${dir}/error.log`);
    }
  }

  it('signs in, refreshes, signs out, and handles back-channel logout', {
    skip,
  }, async () => {
    const service = await start();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const app = await addApplication(service, {
      trusted: true,
      scopes: identityScopes,
      redirect_uris: [`${url}/secure/callback`],
      post_logout_redirect_uris: [`${url}/bye.html`],
      backchannel_logout_uri: `${url}/secure/callback?logout=backchannel`,
    });
    await startApache(configuration(dir, port, service.url, app), url);
    const { id, email } = await addLogin(service, { name: 'Ada Lovelace' });
    const page = await (await open()).newPage();
    const look = async () => (await page.goto(`${url}/secure/`))?.headers() ?? {};
    const signIn = async (): Promise<void> => {
      await page.goto(`${url}/secure/`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('secure/index.html').waitFor();
      const headers = await look();
      assert.deepEqual([headers['x-user']?.split('@')[0], headers['x-email']], [id, email]);
      assert.equal(headers['x-name'], 'Ada Lovelace');
    };
    await signIn();
    const before = (await look())['x-token'] ?? '';
    const query = new URLSearchParams({ refresh: `${url}/secure/`, access_token: before });
    await page.goto(`${url}/secure/callback?${query}`);
    assert.notEqual((await look())['x-token'], before, 'the access token was refreshed');
    await page.goto(`${service.url}/oauth/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    await service.queue.runDueJobs();
    await signIn();
    await page.goto(`${url}/secure/callback?logout=${encodeURIComponent(`${url}/bye.html`)}`);
    await page.waitForURL(`${url}/bye.html`);
    await page.goto(`${service.url}/settings`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
