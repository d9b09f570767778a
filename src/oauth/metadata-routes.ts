import { jwksMaxAge } from '../database/keys/key-ring.ts';
import type { App } from '../http/app.ts';
import { notFound } from '../platform/errors.ts';
import { metadata, pathOfMetadata } from './metadata.ts';
import { keySetSchema, serverMetadataSchema } from './metadata-schemas.ts';
import type { OAuth } from './oauth.ts';

/** Public keys and addresses: any page may read them. */
const config = { auth: 'public', limited: false, cors: 'any' } as const;
const tags = ['OAuth'];

const wellKnown = [
  { path: '/.well-known/oauth-authorization-server', summary: 'Authorization server metadata (RFC 8414)' },
  { path: '/.well-known/openid-configuration', summary: 'OpenID provider metadata (OpenID Connect Discovery)' },
];

/** What clients learn by the address of the service alone. */
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
      const asked = request.url.split('?', 1)[0]?.slice(path.length);
      if (asked !== issuerPath && asked !== `${issuerPath}/`) throw notFound();
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
