import fastify from 'fastify';
import type { Config } from '../../config/config.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import type { App } from '../app.ts';
import { documentParts } from './openapi-components.ts';
import type { WriteSamples } from './openapi-examples.ts';
import { completeDocument, type Document, describeOperation, securitySchemes } from './openapi-operations.ts';

const introduction = `
Requests and responses under \`/v1\` are JSON. Send \`Accept: application/json\` with every request. Request bodies can be JSON
or form data. Paths work with and without a trailing slash.

**Authentication.** Send an access token with each request: \`Authorization: Bearer …\`. You can create a personal access
token in your account settings. \`POST /v1/clients/web/admin/login\` returns a token for an email and a password. Applications
get their tokens from \`POST /oauth/token\`. \`POST /v1/register\` creates an account.

**Try it here.** If you are signed in, this page sends requests in your name. If you sign in with an operation on this page, the
page uses the new token from then on. Each operation has sample code for curl, JavaScript, Python, Go and PHP.

**Errors.** Errors under \`/v1\` are \`application/problem+json\` (RFC 9457) and have a stable \`code\`. The OAuth endpoints return
\`{error, error_description}\` (RFC 6749). Every response has the header \`X-Request-Id\`, and an error repeats it as \`instance\`.
It identifies the request in the log.

**Caching and concurrent changes.** Every 200 response to a GET has an \`ETag\`. Send it as \`If-None-Match\` to get 304 if nothing
has changed. Send it as \`If-Match\` with a write to get 412 if somebody else has changed the row.
`.trim();

/** The tags of the built-in endpoints. They follow the operator's tags. */
const defaultTags: readonly [string, string][] = [
  ['First-party clients', 'Sign in and refresh without a client secret: the server adds it.'],
  ['sessions', 'The session of your access token, and how its owner proved who they are.'],
  ['OAuth', 'Standard OAuth 2.0 and OpenID Connect endpoints.'],
];

export function describeApi(app: App): void {
  const { routes } = documentParts(app);
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
}

const sampleLoaders = new WeakMap<App, () => Promise<WriteSamples>>();

/** Adds code samples to the operations of the document. Call it at start. */
export const setSamples = (app: App, load: () => Promise<WriteSamples>) => sampleLoaders.set(app, load);

const documents = new WeakMap<App, Promise<object>>();

/**
 * The OpenAPI document, created when it is first requested. A second app, which serves nothing, describes the routes. Most services are
 * never asked for the document, and it would take a tenth of the start.
 */
export const openApiDocument = (app: App, config: Config): Promise<object> =>
  getOrCreate(documents, app, () => createDocument(app, config));

async function createDocument(app: App, config: Config): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger');
  const writeSamples = (await sampleLoaders.get(app)?.()) ?? (() => []);
  const describedApp = fastify({ exposeHeadRoutes: false });
  await describedApp.register(swagger, {
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
      // The scopes are complete when all routes are registered.
      components: { securitySchemes: securitySchemes(config.baseUrl, {}) },
    },
    transform: describeOperation,
    transformObject: (documentObject) =>
      completeDocument(
        'openapiObject' in documentObject ? (documentObject.openapiObject as Document) : {},
        documentParts(app),
        writeSamples,
      ),
  });
  describedApp.setValidatorCompiler(() => () => true);
  describedApp.setSerializerCompiler(() => () => '');
  // The document describes GET, but not HEAD.
  for (const { method, url, schema, config: routeConfig } of documentParts(app).routes)
    describedApp.route({
      method: [method].flat().filter((name) => name !== 'HEAD'),
      url,
      ...(schema ? { schema } : {}),
      ...(routeConfig ? { config: routeConfig } : {}),
      handler() {},
    });
  await describedApp.ready();
  return describedApp.swagger();
}

export function serveOpenApi(app: App, config: Config): void {
  for (const [name, description] of defaultTags) documentParts(app).tags.set(name, description);
  // A buffer, which all responses share, even if many clients read slowly.
  let document: Buffer | undefined;
  app.get(
    '/openapi.json',
    { config: { auth: 'public', limited: false }, schema: { hide: true } },
    async (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(await openApiDocument(app, config)));
      return reply.type('application/json; charset=utf-8').send(document);
    },
  );
}
