import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Not secret: only tests on this machine use it. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyLXsxO2RcldPvj1A
3ljiWpER9ym/KashzlyGoJ8swSKhRANCAASAOvn0a/oTkwHcV9nYj3+lOY1iApQO
Pt50GDOa6BEXS4zPz8f/YFRlKA2G1bjI4+DS7PgZidGS6Fqu/9R+Qeb7
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBdjCCAR2gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFUZXN0IG9m
IEdhdGVob3VzZTAgFw0wMDAxMDEwMDAwMDBaGA8yMDk5MTIzMTIzNTk1OVowHDEa
MBgGA1UEAwwRVGVzdCBvZiBHYXRlaG91c2UwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAASAOvn0a/oTkwHcV9nYj3+lOY1iApQOPt50GDOa6BEXS4zPz8f/YFRlKA2G
1bjI4+DS7PgZidGS6Fqu/9R+Qeb7o04wTDAaBgNVHREEEzARhwR/AAABgglsb2Nh
bGhvc3QwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUHdCsWT/PFHEfdXePt5fy
PMJJDlIwCgYIKoZIzj0EAwIDRwAwRAIgQMTbxG7RtGgxs84oZqaqmGZVYPfTud5q
endYoul6xr4CIAN9xVDGWen5KxH5dljIaPSCdx1OaFqpktYE03aWZhch
-----END CERTIFICATE-----
`;

/**
 * Servers with TLS on loopback that this process trusts. Call it in the body of a suite. They are closed after the
 * suite.
 */
export function httpsServers(): (response: RequestListener) => Promise<{ url: string }> {
  const servers: Server[] = [];
  const trusted = getCACertificates('default');
  after(() => {
    setDefaultCACertificates(trusted);
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  return async (response) => {
    setDefaultCACertificates([...trusted, cert]);
    const server = createServer({ key, cert }, response);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
}
