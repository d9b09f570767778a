import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { jwksMaxAge } from '../database/keys/key-ring.ts';
import type { App } from '../http/app.ts';
import { resourceMetadataPath } from '../http/gate/unauthorized.ts';
import { namedSchema } from '../http/openapi/openapi-components.ts';
import { withoutQuery } from '../http/without-query.ts';
import { notFound } from '../platform/errors.ts';
import { adminScope, clientScopes, everyScope, identityScopes } from './clients/scopes/scopes.ts';
import { metadata, pathOfMetadata } from './metadata.ts';
import type { OAuth } from './oauth.ts';

/** The schema only describes the document. It does not filter the response. */
const describedObject = (properties: Record<string, Type.TSchema>, options: Type.TObjectOptions) =>
  Type.Unsafe<unknown>(Type.Object(properties, options));

const strings = Type.Array(Type.String());
const uri = Type.String({ format: 'uri' });

const serverMetadataSchema = namedSchema(
  'AuthorizationServerMetadata',
  describedObject(
    {
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
    },
    { additionalProperties: true, description: 'RFC 8414 2 and OpenID Connect Discovery 3' },
  ),
);

const keySetSchema = namedSchema(
  'JsonWebKeySet',
  describedObject(
    {
      keys: Type.Array(
        Type.Object(
          { kty: Type.String(), kid: Type.String(), alg: Type.String(), use: Type.String() },
          { additionalProperties: true },
        ),
      ),
    },
    { description: 'RFC 7517 5' },
  ),
);

const resourceMetadataSchema = namedSchema(
  'ProtectedResourceMetadata',
  describedObject(
    {
      resource: uri,
      authorization_servers: strings,
      scopes_supported: strings,
      bearer_methods_supported: strings,
      resource_name: Type.String(),
      resource_documentation: uri,
    },
    { additionalProperties: true, description: 'RFC 9728 2' },
  ),
);

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
  const issuerPath = pathOfMetadata(context.config);
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
    if (issuerPath === undefined) continue;
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
