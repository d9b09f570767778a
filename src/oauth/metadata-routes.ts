import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { jwksMaxAge } from '../database/keys/key-ring.ts';
import type { App } from '../http/app.ts';
import { resourceMetadataPath } from '../http/gate/unauthorized.ts';
import { namedSchema } from '../http/named-schema.ts';
import { withoutQuery } from '../http/without-query.ts';
import { notFound } from '../platform/errors.ts';
import { acrLevels } from '../platform/proof.ts';
import { prompts, responseModes } from './authorize/authorization-request.ts';
import { clientDocumentsEnabled } from './clients/client-uris.ts';
import { adminScope, clientScopes, everyScope, identityScopes } from './clients/scopes/scopes.ts';
import type { OAuth } from './oauth.ts';
import { UserInfo } from './openid/claims.ts';
import { idTokenClaims } from './openid/id-token.ts';
import { proofAlgorithms } from './proofs/client-jws.ts';
import { enabledGrants } from './token-endpoint.ts';

const confidentialAuthMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const authMethods = [...confidentialAuthMethods, 'none'];

/** RFC 8414 and OpenID Connect Discovery: one document at both addresses. Readers ignore unknown members. */
export function metadata({ context: { config }, keys, scopes }: Pick<OAuth, 'context' | 'keys' | 'scopes'>) {
  const { baseUrl, dynamicClients } = config;
  const detailTypes = Object.keys(config.authorizationDetailsTypes);
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
    end_session_endpoint: `${baseUrl}/oauth/logout`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    introspection_endpoint: `${baseUrl}/oauth/introspect`,
    pushed_authorization_request_endpoint: `${baseUrl}/oauth/par`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    // Included only if enabled (RFC 7591, the draft for client id metadata documents, and RFC 9396 10).
    ...(dynamicClients === 'closed' ? {} : { registration_endpoint: `${baseUrl}/oauth/register` }),
    ...(clientDocumentsEnabled(config) ? { client_id_metadata_document_supported: true } : {}),
    ...(detailTypes.length > 0 ? { authorization_details_types_supported: detailTypes } : {}),
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_methods_supported: confidentialAuthMethods,
    token_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
    // RFC 8414 2: required with private_key_jwt.
    revocation_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
    introspection_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
    dpop_signing_alg_values_supported: proofAlgorithms,
    request_object_signing_alg_values_supported: proofAlgorithms,
    require_pushed_authorization_requests: false,
    scopes_supported: scopes.list(),
    grant_types_supported: enabledGrants(config),
    response_types_supported: ['code'],
    response_modes_supported: responseModes,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: prompts,
    // RFC 9207.
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: true,
    // The default would be true (OpenID Connect Discovery 3).
    request_uri_parameter_supported: false,
    subject_types_supported: ['public'],
    acr_values_supported: acrLevels,
    claim_types_supported: ['normal'],
    claims_parameter_supported: true,
    claims_supported: [...new Set([...idTokenClaims, ...Object.keys(UserInfo.properties)])],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: false,
    id_token_signing_alg_values_supported: keys.signingKeys.algorithms(),
    service_documentation: `${baseUrl}/docs`,
  };
}

const strings = Type.Array(Type.String());
const uri = Type.String({ format: 'uri' });

/** The schema only describes the document. It does not filter the response. */
const described = (name: string, description: string, properties: Record<string, Type.TSchema>) =>
  namedSchema(name, Type.Unsafe<unknown>(Type.Object(properties, { additionalProperties: true, description })));

const serverMetadataSchema = described('AuthorizationServerMetadata', 'RFC 8414 2 and OpenID Connect Discovery 3', {
  issuer: uri,
  authorization_endpoint: uri,
  token_endpoint: uri,
  userinfo_endpoint: uri,
  end_session_endpoint: uri,
  jwks_uri: uri,
  registration_endpoint: Type.Optional(uri),
  scopes_supported: strings,
  response_types_supported: strings,
  response_modes_supported: strings,
  grant_types_supported: strings,
  code_challenge_methods_supported: strings,
  token_endpoint_auth_methods_supported: strings,
  subject_types_supported: strings,
  id_token_signing_alg_values_supported: strings,
  claims_supported: strings,
});

const keyMembers = { kty: Type.String(), kid: Type.String(), alg: Type.String(), use: Type.String() };
const keySetSchema = namedSchema(
  'JsonWebKeySet',
  Type.Unsafe<unknown>(
    Type.Object(
      { keys: Type.Array(Type.Object(keyMembers, { additionalProperties: true })) },
      { description: 'RFC 7517 5' },
    ),
  ),
);

const resourceMetadataSchema = described('ProtectedResourceMetadata', 'RFC 9728 2', {
  resource: uri,
  authorization_servers: strings,
  scopes_supported: strings,
  bearer_methods_supported: strings,
  resource_name: Type.String(),
  resource_documentation: uri,
});

/** Any website may read these public documents. */
const config = { auth: 'public', limited: false, cors: 'any' } as const;
const tags = ['OAuth'];

const wellKnown = [
  { path: '/.well-known/oauth-authorization-server', summary: 'Authorization server metadata (RFC 8414)' },
  { path: '/.well-known/openid-configuration', summary: 'OpenID provider metadata (OpenID Connect Discovery)' },
];

/** The metadata documents of the service (RFC 8414). */
export function serveMetadata(app: App, oauth: OAuth): void {
  const { context, keys } = oauth;
  const { pathname: issuerPath } = new URL(context.config.baseUrl);
  const read = async () => {
    await keys.ensureCurrent();
    return metadata(oauth);
  };
  for (const { path, summary } of wellKnown) {
    app.get(
      path,
      { config, schema: { tags, summary, response: { 200: serverMetadataSchema } } },
      async (_request, reply) => reply.header('cache-control', 'public, max-age=300').send(await read()),
    );
    // RFC 8414 3.1: the path of an issuer comes last.
    if (issuerPath === '/') continue;
    app.get(`${path}/*`, { config, schema: { hide: true } }, async (request, reply) => {
      const requestedPath = withoutQuery(request.url).slice(path.length);
      if (requestedPath !== issuerPath && requestedPath !== `${issuerPath}/`) throw notFound();
      return reply.header('cache-control', 'public, max-age=300').send(await read());
    });
  }
  app.get(
    '/.well-known/jwks.json',
    {
      config,
      schema: {
        tags,
        summary: 'The public keys that verify access tokens and ID tokens (RFC 7517)',
        response: { 200: keySetSchema },
      },
    },
    async (_request, reply) => {
      await keys.ensureCurrent();
      reply.header('cache-control', `public, max-age=${jwksMaxAge}`);
      return keys.signingKeys.jwks();
    },
  );
}

const resourceMetadataPrefix = '/.well-known/oauth-protected-resource';
/** Scopes that clients do not request for a resource: identity, client-only, admin and all. */
const nonResourceScopes = [everyScope, ...clientScopes, adminScope, ...identityScopes];

/** RFC 9728: metadata of the service, of the API and of other resources. Each document names its resource (3.3). */
export function serveProtectedResources(app: App, oauth: OAuth): void {
  const { baseUrl } = oauth.context.config;
  const servicePath = '';
  const response = { 200: resourceMetadataSchema };
  app.get(
    resourceMetadataPrefix,
    { config, schema: { tags, summary: 'Protected resource metadata (RFC 9728)', response } },
    async (_request, reply) => describe(oauth, reply, servicePath),
  );
  app.get(`${resourceMetadataPrefix}/*`, { config, schema: { hide: true } }, async (request, reply) => {
    const requestedPath = withoutQuery(request.url).replace(/\/$/, '');
    const paths = [servicePath, ...oauth.audiences.ownPaths()];
    const path = paths.find((resourcePath) => resourceMetadataPath(baseUrl, resourcePath) === requestedPath);
    if (path === undefined) throw notFound();
    return describe(oauth, reply, path);
  });
}

function describe({ context: { config }, scopes, audiences }: OAuth, reply: FastifyReply, path: string) {
  reply.header('cache-control', 'public, max-age=300');
  return {
    resource: config.baseUrl + path,
    authorization_servers: [config.baseUrl],
    scopes_supported: audiences.scopesOf(path) ?? scopes.list().filter((scope) => !nonResourceScopes.includes(scope)),
    bearer_methods_supported: ['header'],
    resource_name: config.brandName,
    resource_documentation: `${config.baseUrl}/docs`,
  };
}
