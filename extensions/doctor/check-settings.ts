import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, minSecretLength } from '../../src/config/config.ts';
import { crossSiteWarning, findCrossSiteOrigins } from '../../src/http/cross-site-origins.ts';
import { errorFinding, type Finding, notice, ok } from '../../src/main/finding.ts';
import { clientDocumentsEnabled } from '../../src/oauth/clients/client-uris.ts';

const isLoopback = (host: string): boolean => /^(localhost|127\..*|\[?::1\]?)$/.test(host);

export const checkSettings = (config: Config): Finding[] => [
  ok('config', `HOST=${config.host} PORT=${config.port} BASE_URL=${config.baseUrl}`),
  ...checkAddress(config),
  checkCookies(config),
  ...findCrossSiteOrigins(config).map((values) =>
    notice('sites', crossSiteWarning, 'See docs/guides/single-page-app.md.', { ...values }),
  ),
  ...checkProxies(config),
  ...checkApplicationSettings(config),
  ...checkSecrets(config),
  ...checkFilePermissions(config),
];

/** Links in mail, the issuer of tokens and the addresses in the metadata all begin with BASE_URL. */
function checkAddress({ host, baseUrl }: Config): Finding[] {
  const { hostname } = new URL(baseUrl);
  if (isLoopback(host) || !isLoopback(hostname)) return [];
  // An explicit setting may be intended: for example, a container whose port is published only on this machine.
  const report = hostname === 'localhost' ? notice : errorFinding;
  return [
    report(
      'address',
      'the service listens on {host}, but BASE_URL is {url}: links and tokens contain an address that only this machine can reach',
      'Set BASE_URL to the address that callers use, such as https://auth.example.com.',
      { host, url: baseUrl },
    ),
  ];
}

function checkCookies({ baseUrl }: Config): Finding {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:') return ok('cookies', 'Secure, because BASE_URL is https');
  if (isLoopback(hostname)) return ok('cookies', 'not Secure, which is fine on this machine alone');
  return errorFinding(
    'cookies',
    'BASE_URL is {url}: cookies and tokens cross the network unencrypted',
    'Put a reverse proxy with TLS in front, and set BASE_URL to its https address.',
    { url: baseUrl },
  );
}

function checkProxies({ baseUrl, host, trustProxy }: Config): Finding[] {
  const trusts = trustProxy.length > 0 && trustProxy[0] !== 'false';
  if (trustProxy[0] === 'true' && !isLoopback(host)) {
    return [
      errorFinding(
        'proxy',
        'TRUST_PROXY=true while listening on more than this machine: anybody can forge an address',
        'Name the proxies instead, such as TRUST_PROXY=10.0.0.0/8, or listen on 127.0.0.1.',
      ),
    ];
  }
  if (baseUrl.startsWith('https:') && !trusts) {
    return [
      notice(
        'proxy',
        'BASE_URL is https, so there is a proxy, but TRUST_PROXY is not set: all callers count as one address',
        'Set TRUST_PROXY to the address of the proxy, such as TRUST_PROXY=127.0.0.1.',
      ),
    ];
  }
  return [ok('proxy', trusts ? `trusted: ${trustProxy.join(', ')}` : 'none, callers connect directly')];
}

/** Settings that let unknown applications ask users for consent and make this service send requests. */
function checkApplicationSettings(config: Config): Finding[] {
  const findings: Finding[] = [];
  if (config.dynamicClients === 'open') {
    const summary =
      'DYNAMIC_CLIENTS=open: anybody can register an application under any name and ask people for access';
    findings.push(notice('applications', summary, 'Set DYNAMIC_CLIENTS=token, unless you want this.'));
  }
  if (config.outboundPrivateAddresses && clientDocumentsEnabled(config)) {
    const summary =
      'OUTBOUND_PRIVATE_ADDRESSES: metadata documents of applications are also fetched from your own network';
    const fix = 'Unset it, or set CLIENT_DOCUMENTS=off, unless everybody who signs in here may reach that network.';
    findings.push(notice('applications', summary, fix));
  }
  return findings;
}

const checkSecrets = ({ proxiedClients }: Config): Finding[] =>
  proxiedClients
    .filter(({ secret }) => Buffer.byteLength(secret) < minSecretLength)
    .map(({ id }) =>
      errorFinding(
        'secrets',
        'the secret of the client {id} has fewer than {bytes, number} bytes and can be guessed',
        'Create another one with: openssl rand -base64 32',
        { id, bytes: minSecretLength },
      ),
    );

function checkFilePermissions({ dataDir, databaseUrl }: Config): Finding[] {
  if (process.platform === 'win32') return [];
  const secrets = [join(dataDir, 'encryption.key'), join(dataDir, 'clients.json')];
  if (databaseUrl.startsWith('sqlite:')) secrets.push(databaseUrl.slice('sqlite:'.length));
  const readable = secrets.filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  if (readable.length === 0) return [ok('rights', `only the owner can read the secrets in ${dataDir}`)];
  return readable.map((path) => errorFinding('rights', '{path} can be read by others', 'chmod 600 {path}', { path }));
}
