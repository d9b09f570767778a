import swagger from '@fastify/swagger';
import type { Config } from '../../config/config.ts';
import type { App } from '../app.ts';
import { partsOf } from './openapi-components.ts';
import { completeDocument, markOperation } from './openapi-operations.ts';
import { securitySchemes } from './openapi-security.ts';

const introduction = `
Every request under \`/v1\` takes JSON (\`Accept: application/json\`). Bodies are JSON or forms. Paths work with and without
a trailing slash.

**Getting in.** \`POST /v1/register\` makes a user; \`POST /v1/clients/web/admin/login\` (or \`POST /oauth/token\` with
a client's credentials) answers with an access token. Send it as \`Authorization: Bearer …\`. Whoever is
signed in sends the requests of this reference as themselves; a login that is sent from here is used from then on. Beside each operation
stands how to do it with curl and with the client.

**Errors** are \`application/problem+json\` (RFC 9457), with a stable \`code\`; the OAuth endpoints answer
\`{error, error_description}\` (RFC 6749). The \`instance\` of a problem, and the header \`X-Request-Id\` of every answer,
name the request in the log.

**Caching.** Every 200 to GET has an \`ETag\`; \`If-None-Match\` gets 304, \`If-Match\` on a write gets 412 when somebody
else was faster.
`.trim();

/** After the operator's own tags: those of every service. */
const usualTags: readonly [string, string][] = [
  ['First-party clients', 'Login and refresh through the server, which adds the credentials of the client.'],
  ['sessions', 'The session of the presented token, and the proof of who its owner is.'],
  ['OAuth', 'Tokens, for the clients of the standard.'],
];

/** Collects the OpenAPI document from the schemas of the routes that are registered after it. */
export async function describeApi(app: App, config: Config): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: config.brandName,
        version: '1',
        description: introduction,
        contact: { name: config.brandName, url: config.baseUrl },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: config.baseUrl }],
      // The scopes are known when all routes are.
      components: { securitySchemes: securitySchemes(config.baseUrl, {}) as never },
    },
    transform: markOperation as never,
    transformObject: (({ openapiObject }: { openapiObject: object }) =>
      completeDocument(openapiObject as never, partsOf(app))) as never,
  });
}

/** `/openapi.json`, made once, when first asked for. */
export function serveOpenApi(app: App): void {
  for (const [name, description] of usualTags) partsOf(app).tags.set(name, description);
  // As bytes: however many read it slowly, it is there once.
  let document: Buffer | undefined;
  app.get(
    '/openapi.json',
    { config: { auth: 'public', limited: false }, schema: { hide: true } },
    async (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(app.swagger()));
      return reply.type('application/json; charset=utf-8').send(document);
    },
  );
}
