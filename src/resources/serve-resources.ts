import type { Context } from '../database/context.ts';
import type { App } from '../http/app.ts';
import type { ResourceDefinition } from './declaration/define-resource.ts';
import { compileResources, type Resources } from './model/resource.ts';
import type { ResourceServices } from './model/resource-services.ts';
import { serveActions } from './routes/action-routes.ts';
import { serveBatches } from './routes/batch-routes.ts';
import { serveNested } from './routes/nested-routes.ts';
import { serveResource } from './routes/resource-routes.ts';

/** Registers the routes of declared resources, their relations and actions. */
export function serveResources(
  app: App,
  context: Context,
  definitions: readonly ResourceDefinition[],
  otherServices: Omit<ResourceServices, 'context' | 'resources'>,
): Resources {
  const resources = compileResources(definitions);
  const services = { ...otherServices, context, resources };
  const runningBatches = new Set<string>();
  for (const resource of resources.values()) {
    serveResource(app, services, resource);
    serveBatches(app, services, resource, runningBatches);
    serveNested(app, services, resource);
    serveActions(app, services, resource);
  }
  return resources;
}
