// oidc-provider: storage in memory, JWT access tokens by resource indicators, rotating refresh tokens.
import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';
import { MemoryAdapter } from './memory-adapter.mjs';
import { authenticatedGet, form, postForm } from './operations.mjs';

const port = Number(process.env.PORT);
const issuer = `http://127.0.0.1:${port}`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const resource = 'urn:bench:api';
const client = { client_id: 'bench', client_secret: 'bench-secret-bench' };
const format = { accessTokenFormat: 'opaque' };

const provider = new Provider(issuer, {
  adapter: MemoryAdapter,
  clients: [
    {
      ...client,
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials', 'refresh_token', 'authorization_code'],
      redirect_uris: ['https://app.example.com/callback'],
      id_token_signed_response_alg: 'ES256',
      scope: 'openid offline_access read',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  enabledJWA: { idTokenSigningAlgValues: ['ES256', 'RS256'] },
  scopes: ['openid', 'offline_access', 'read'],
  findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, email: 'ada@example.com' }) }),
  rotateRefreshToken: true,
  // The benchmark introspects one token. By default it would expire after ten minutes.
  ttl: { ClientCredentials: 86_400 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: async () => true },
    userinfo: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => (format.accessTokenFormat === 'jwt' ? resource : undefined),
      useGrantedResource: async () => true,
      getResourceServerInfo: async () => ({ scope: 'read', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
    },
  },
});

/** A refresh token like that of a login. The login itself needs pages in a browser, which a load test cannot do. */
async function loggedIn() {
  const known = await provider.Client.find(client.client_id);
  const grant = new provider.Grant({ accountId: 'ada', clientId: client.client_id });
  grant.addOIDCScope('openid offline_access');
  grant.addResourceScope(resource, 'read');
  const grantId = await grant.save();
  const token = { accountId: 'ada', client: known, grantId, scope: 'openid offline_access', gty: 'authorization_code' };
  const refresh = new provider.RefreshToken({
    ...token,
    // Without `openid`: each refresh would sign an ID token too.
    scope: 'offline_access read',
    resource,
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  });
  const access = new provider.AccessToken({ ...token });
  return { refresh: await refresh.save(), access: await access.save() };
}

provider.use(async (context, next) => {
  if (context.path === '/ready') {
    context.body = {};
    return;
  }
  if (context.path !== '/bench/operations') return next();
  const logins = [];
  for (let i = 0; i < 256; i++) logins.push(await loggedIn());
  format.accessTokenFormat = 'opaque';
  const opaque = await postForm(`${issuer}/token`, { grant_type: 'client_credentials', ...client });
  format.accessTokenFormat = 'jwt';
  context.body = {
    'client credentials': form(
      '/token',
      { grant_type: 'client_credentials', scope: 'read', resource, ...client },
      'access_token',
    ),
    refresh: form('/token', { grant_type: 'refresh_token', refresh_token: '{}', ...client }, 'refresh_token', {
      values: logins.map((login) => login.refresh),
      nextValue: 'refresh_token',
    }),
    // oidc-provider introspects only opaque access tokens, not JWTs.
    introspection: form('/token/introspection', { token: opaque.access_token, ...client }, '"active":true'),
    get: authenticatedGet('/me', logins[0].access, '"sub":"ada"'),
  };
});
provider.listen(port, '127.0.0.1');
