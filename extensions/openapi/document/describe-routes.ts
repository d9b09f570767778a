import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastify, { type FastifyContextConfig, type FastifySchema, type RouteOptions } from 'fastify';
import type { ResourceOperation } from '../../../src/resources/routes/resource-operation.ts';
import { batchDocs } from './batch-operations.ts';
import type { Document } from './complete-document.ts';
import { descriptionsSchema } from './descriptions-schema.ts';
import type { Security } from './example-of.ts';
import type { JsonSchema } from './json-schema.ts';
import { actionDocs, nestedDocs, operationDocs, restoreDocs } from './resource-operations.ts';

export type DeclaredRoutes = readonly RouteOptions[];

/** Adds the routes to the document. A second app, which serves nothing, describes them. */
export async function describeRoutes(
  routes: DeclaredRoutes,
  openapi: NonNullable<FastifyDynamicSwaggerOptions['openapi']>,
): Promise<Document> {
  const app = fastify({ exposeHeadRoutes: false });
  await app.register(swagger, { openapi, transform: describeRoute });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => '');
  // The document describes GET, but not HEAD.
  for (const { method, url, schema, config } of routes)
    app.route({
      method: [method].flat().filter((name) => name !== 'HEAD'),
      url,
      ...(schema ? { schema } : {}),
      ...(config ? { config } : {}),
      handler() {},
    });
  await app.ready();
  return app.swagger() as Document;
}

/** Describes a route by its schema and its `config`: the operation, the allowed callers and the errors. Pages are not part of the API. */
function describeRoute({
  schema = {},
  url,
  route: { config = {}, method },
}: {
  schema?: FastifySchema;
  url: string;
  route: { config?: FastifyContextConfig; method: unknown };
}) {
  const { errors = 'problem', docs, operation } = config;
  const visibility = errors === 'page' ? { hide: true } : {};
  // The body of an operation may contain current_password, which is read before the rest is validated.
  const described = operation
    ? { ...schema, ...docsOf(operation, [config.scope ?? []].flat()) }
    : { ...docs?.(), ...schema };
  if (config.auth === 'auth:web') Object.assign(described, sessionDocs(described, String(method)));
  return { url, schema: { ...described, security: securityOf(config), 'x-errors': errors, ...visibility } };
}

/** What the session cookie of a browser adds to a route: the redirection to the login page, and the token of a form. */
function sessionDocs({ body, response }: FastifySchema, method: string): FastifySchema {
  const { properties = {}, required = [], ...schema } = (body ?? { type: 'object' }) as JsonSchema;
  return {
    response: { ...(response as object), 302: { description: 'Without a session: to the login page.', type: 'null' } },
    ...(method === 'GET'
      ? {}
      : {
          body: {
            ...schema,
            properties: { ...properties, _csrf: { type: 'string' } },
            required: [...new Set([...required, '_csrf'])],
          },
        }),
  };
}

function docsOf(operation: ResourceOperation, scopes: readonly string[]): FastifySchema {
  switch (operation.kind) {
    case 'describe':
      return {
        tags: ['resources'],
        summary: 'Describe all resources, for front ends',
        response: { 200: descriptionsSchema },
      };
    case 'batch':
      return batchDocs(operation.resource, operation.operation);
    case 'nested':
      return nestedDocs(operation.resource, operation.relation, operation.operation, scopes);
    case 'action':
      return actionDocs(operation.resource, operation.action, operation.access);
    case 'restore':
      return restoreDocs(operation.resource);
    default:
      return operationDocs(operation.resource, operation.kind);
  }
}

/** The security of a route: none, a session of a browser, any token, or a token with the scope. A caller needs only one of the entries. */
function securityOf({ auth, bearer, scope }: FastifyContextConfig): Security[] {
  if (auth === 'auth:web') return [{ session: [] }];
  const isPublic = auth !== 'auth:api';
  if (isPublic && bearer !== 'optional') return [];
  return [...(isPublic ? [{}] : []), { bearer: [] }, ...(scope === undefined ? [] : [{ oauth2: [scope].flat() }])];
}
