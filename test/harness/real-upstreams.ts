import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
import Provider from 'oidc-provider';
import { createTestDatabase } from './engines.ts';
import { logIn, request } from './request.ts';
import type { Service, services } from './service.ts';
import { declareProvider } from './upstream.ts';

const clientId = 'gatehouse';
const clientSecret = 'a secret of thirty-two characters';

/** A service with three real providers: `gatehouse`, `oidc` and `mock`. */
export interface RealUpstreams {
  readonly service: Service;
  /** Another Gatehouse. It has another host, so that a browser keeps the cookies of both apart. */
  readonly gatehouse: Service;
}

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** Redirect URIs are registered at providers before the service listens. */
async function freePort(): Promise<number> {
  const { server, port } = await listening();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Call it in the body of a suite. Everything is closed after the suite. */
export function realUpstreams(start: ReturnType<typeof services>): () => Promise<RealUpstreams> {
  const closings: (() => unknown)[] = [];
  after(async () => {
    for (const close of closings.reverse()) await close();
  });
  return async () => {
    const mock = new OAuth2Server();
    await mock.issuer.keys.generate('RS256');
    await mock.start(0, '127.0.0.1');
    closings.push(() => mock.stop());
    mock.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
      Object.assign(token.payload, { aud: clientId, email: 'mock@example.org', email_verified: true });
    });

    const database = await createTestDatabase('sqlite');
    closings.push(() => database.remove());
    const port = await freePort();
    const callback = (name: string) => `http://127.0.0.1:${port}/login/with/${name}/callback`;

    const gatehousePort = String(await freePort());
    const baseUrl = `http://localhost:${gatehousePort}`;
    const gatehouse = await start({ env: { HOST: 'localhost', PORT: gatehousePort, BASE_URL: baseUrl } });
    const token = await logIn(gatehouse, 'admin@example.com', 'correct horse battery');
    const application = {
      type: 'application',
      name: 'Another Gatehouse',
      redirect_uris: [callback('gatehouse')],
      public: false,
      trusted: true,
      scopes: ['openid', 'profile', 'email'],
    };
    const made = await request<{ data: { client_id: string; client_secret: string } }>(gatehouse, '/v1/clients', {
      json: application,
      token,
    });

    const oidc = await listening();
    const oidcUrl = `http://127.0.0.1:${oidc.port}`;
    const provider = new Provider(oidcUrl, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [callback('oidc')] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true, name: id }),
      }),
    });
    oidc.server.on('request', provider.callback());
    closings.push(() => {
      oidc.server.closeAllConnections();
      oidc.server.close();
    });

    declareProvider(database.dir, { name: 'mock', issuer: mock.issuer.url as string, clientId, clientSecret });
    declareProvider(database.dir, { name: 'oidc', issuer: oidcUrl, clientId, clientSecret });
    const PROVIDERS_DIR = declareProvider(database.dir, {
      name: 'gatehouse',
      issuer: baseUrl,
      clientId: made.body.data.client_id,
      clientSecret: made.body.data.client_secret,
    });
    const service = await start({ database, env: { PROVIDERS_DIR, PORT: String(port) } });
    return { service, gatehouse };
  };
}
