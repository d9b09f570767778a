import { roleNames } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import type { App } from '../http/app.ts';
import { CompressedContent } from '../http/compressed-content.ts';
import { queryOf } from '../http/query-of.ts';
import type { ResourceDefinition } from './declaration/define-resource.ts';
import { compileResources, type Resources } from './model/resource.ts';
import type { ResourceServices } from './model/resource-services.ts';
import { rejectUnknownParameters } from './query/list-query.ts';
import { serveActions } from './routes/action-routes.ts';
import { serveBatches } from './routes/batch-routes.ts';
import { describeResources } from './routes/describe-resources.ts';
import { serveNested } from './routes/nested-routes.ts';
import { jsonType, serveResource } from './routes/resource-routes.ts';

/** Registers the routes of declared resources, their relations and actions, and their descriptions. */
export function serveResources(
  app: App,
  context: Context,
  definitions: readonly ResourceDefinition[],
  otherServices: Omit<ResourceServices, 'context' | 'resources'>,
): Resources {
  const roles = roleNames(context.config);
  const resources = compileResources(definitions);
  const services = { ...otherServices, context, resources };
  const runningBatches = new Set<string>();
  for (const resource of resources.values()) {
    serveResource(app, services, resource);
    serveBatches(app, services, resource, runningBatches);
    serveNested(app, services, resource);
    serveActions(app, services, resource);
  }
  let description: CompressedContent | undefined;
  app.get(
    '/v1/resources',
    { config: { auth: 'auth:api', operation: { kind: 'describe' } } },
    async (request, reply) => {
      rejectUnknownParameters(queryOf(request));
      description ??= new CompressedContent(jsonType, describeResources(resources, roles, context.now()));
      return description.send(request, reply);
    },
  );
  return resources;
}
