import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

interface Keys {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}

interface Code {
  readonly query: URLSearchParams;
  readonly person: JWTPayload;
}

/** An OpenID provider whose responses a test controls. */
export interface Upstream {
  readonly url: string;
  /** The user who is signed in at the provider. */
  person: JWTPayload & { sub: string };
  /** Changes the claims of an ID token before it is signed. */
  tamper: ((claims: JWTPayload, header: JWTHeaderParameters) => void) | undefined;
  /** Parameters to add to the response of the authorization endpoint. */
  moreParameters: Record<string, string>;
  /** The status of every response while the provider is down. */
  status: number | undefined;
  /** The target to which every response redirects. */
  redirect: string | undefined;
  /** Values that replace those in the metadata. */
  metadata: Record<string, string>;
  /** Every response waits for this promise. */
  hold: Promise<unknown> | undefined;
  /** The offset of its clock in milliseconds, visible in the header Date. */
  ahead: number;
  /** The error of the token endpoint. */
  refuses: string | undefined;
  /** Authorization requests, in order. */
  readonly requests: URLSearchParams[];
  /** The requested paths. */
  readonly paths: string[];
  rotateKeys(): Promise<void>;
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** Writes the declaration, and returns the folder. */
  declare(dir: string, name: string, options?: string): string;
  /** Follows the authorization URL as a browser does, and returns the URL of the redirect back. */
  visit(location: string | null): Promise<string>;
}

async function makeKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const kid = randomBytes(6).toString('hex');
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let body = '';
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body);
};

/** Providers that are closed after the current suite. */
export function upstreams(): () => Promise<Upstream> {
  const closings: (() => void)[] = [];
  after(() => {
    for (const close of closings) close();
  });
  return async () => {
    let keys = await makeKeys();
    const codes = new Map<string, Code>();
    const send = (response: ServerResponse, status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const upstream: Upstream & { url: string } = {
      url: '',
      person: { sub: 'ada' },
      tamper: undefined,
      moreParameters: {},
      status: undefined,
      redirect: undefined,
      metadata: {},
      hold: undefined,
      ahead: 0,
      refuses: undefined,
      requests: [],
      paths: [],
      async rotateKeys() {
        keys = await makeKeys();
      },
      sign: (claims, header = {}) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: keys.kid, ...header }).sign(keys.privateKey),
      declare: (dir, name, options = '') =>
        declareProvider(
          dir,
          { name, label: 'Acme', issuer: upstream.url, clientId: 'gatehouse', clientSecret: 'upstream secret' },
          options,
        ),
      async visit(location) {
        const response = await fetch(location as string, { redirect: 'manual' });
        return response.headers.get('location') as string;
      },
    };
    const server = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url as string, upstream.url);
      upstream.paths.push(pathname);
      await upstream.hold;
      response.setHeader('date', new Date(Date.now() + upstream.ahead).toUTCString());
      if (upstream.redirect) return response.writeHead(302, { location: upstream.redirect }).end();
      if (upstream.status) return response.writeHead(upstream.status).end();
      if (pathname === '/.well-known/openid-configuration') {
        return send(response, 200, {
          issuer: upstream.url,
          authorization_endpoint: `${upstream.url}/authorize`,
          token_endpoint: `${upstream.url}/token`,
          jwks_uri: `${upstream.url}/jwks`,
          end_session_endpoint: `${upstream.url}/logout`,
          id_token_signing_alg_values_supported: ['RS256'],
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          authorization_response_iss_parameter_supported: true,
          ...upstream.metadata,
        });
      }
      if (pathname === '/jwks') return send(response, 200, { keys: [keys.jwk] });
      if (pathname === '/authorize') {
        upstream.requests.push(searchParams);
        const code = randomBytes(8).toString('hex');
        codes.set(code, { query: searchParams, person: { ...upstream.person } });
        const back = new URL(searchParams.get('redirect_uri') as string);
        const parameters = {
          code,
          state: searchParams.get('state') as string,
          iss: upstream.url,
          ...upstream.moreParameters,
        };
        back.search = new URLSearchParams(parameters).toString();
        return response.writeHead(302, { location: back.href }).end();
      }
      if (pathname !== '/token') return response.writeHead(404).end();
      const form = await bodyOf(request);
      if (upstream.refuses) return send(response, 400, { error: upstream.refuses });
      const found = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight =
        found?.query.get('code_challenge') === challenge && form.get('client_secret') === 'upstream secret';
      if (!found || !isRight) return send(response, 400, { error: 'invalid_grant' });
      const now = Math.floor(Date.now() / 1000);
      const claims: JWTPayload = {
        iss: upstream.url,
        aud: 'gatehouse',
        iat: now,
        exp: now + 300,
        auth_time: now,
        nonce: found.query.get('nonce'),
        ...found.person,
      };
      const header: JWTHeaderParameters = { alg: 'RS256', kid: keys.kid };
      upstream.tamper?.(claims, header);
      const id_token =
        header.alg === 'none'
          ? `${encoded(header)}.${encoded(claims)}.`
          : header.alg === 'HS256'
            ? await new SignJWT(claims).setProtectedHeader(header).sign(Buffer.from('upstream secret'))
            : await upstream.sign(claims, header);
      return send(response, 200, { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token });
    });
    closings.push(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return upstream;
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Writes a declaration, and returns the folder. `options`: more of it, as source text. */
export function declareProvider(
  dir: string,
  provider: Record<string, string> & { name: string },
  options = '',
): string {
  const folder = join(dir, 'providers');
  mkdirSync(folder, { recursive: true });
  const source = `import { defineProvider } from 'gatehouse-server/providers';
export default defineProvider({ ...${JSON.stringify(provider)}, ${options} });\n`;
  writeFileSync(join(folder, `${provider.name}.ts`), source);
  return folder;
}
