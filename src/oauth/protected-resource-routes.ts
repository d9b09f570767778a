import type { FastifyReply } from 'fastify';
import type { App } from '../http/app.ts';
import { resourceMetadataPath } from '../http/gate/unauthorized.ts';
import { notFound } from '../platform/errors.ts';
import { adminScope, clientScopes, everyScope, identityScopes } from './clients/scopes/scopes.ts';
import { resourceMetadataSchema } from './metadata-schemas.ts';
import type { OAuth } from './oauth.ts';

const bare = '/.well-known/oauth-protected-resource';
const config = { auth: 'public', limited: false, cors: 'any' } as const;
/** They are about the login, about others, or about everything: no client asks for them to use a resource. */
const notOfResources = [everyScope, ...clientScopes, adminScope, ...identityScopes];

/** RFC 9728: the service at the bare address, the API and others below it. Each document names its resource (3.3). */
export function serveProtectedResources(app: App, oauth: OAuth): void {
  const { baseUrl } = oauth.context.config;
  const whole = '';
  const response = { 200: resourceMetadataSchema };
  app.get(
    bare,
    { config, schema: { tags: ['OAuth'], summary: 'Protected resource metadata (RFC 9728)', response } },
    async (_request, reply) => describe(oauth, reply, whole),
  );
  app.get(`${bare}/*`, { config, schema: { hide: true } }, async (request, reply) => {
    const asked = (request.url.split('?', 1)[0] as string).replace(/\/$/, '');
    const paths = [whole, ...oauth.audiences.ownPaths()];
    const path = paths.find((own) => resourceMetadataPath(baseUrl, own) === asked);
    if (path === undefined) throw notFound();
    return describe(oauth, reply, path);
  });
}

function describe({ context: { config }, scopes, audiences }: OAuth, reply: FastifyReply, path: string) {
  reply.header('cache-control', 'public, max-age=300');
  return {
    resource: config.baseUrl + path,
    authorization_servers: [config.baseUrl],
    scopes_supported: audiences.scopesOf(path) ?? scopes.list().filter((scope) => !notOfResources.includes(scope)),
    bearer_methods_supported: ['header'],
    resource_name: config.brandName,
    resource_documentation: `${config.baseUrl}/docs`,
  };
}
