import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastify, { type FastifyContextConfig, type FastifySchema, type RouteOptions } from 'fastify';
import type { ResourceOperation } from '../../../src/resources/routes/resource-operation.ts';
import { batchDocs } from './batch-operations.ts';
import type { Document } from './complete-document.ts';
import { descriptionsSchema } from './descriptions-schema.ts';
import type { Security } from './example-of.ts';
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
  route: { config = {} },
}: {
  schema?: FastifySchema;
  url: string;
  route: { config?: FastifyContextConfig };
}) {
  const { errors = 'problem', docs, operation } = config;
  const visibility = errors === 'page' ? { hide: true } : {};
  // The body of an operation may contain current_password, which is read before the rest is validated.
  const described = operation
    ? { ...schema, ...docsOf(operation, [config.scope ?? []].flat()) }
    : { ...docs?.(), ...schema };
  return { url, schema: { ...described, security: securityOf(config), 'x-errors': errors, ...visibility } };
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
