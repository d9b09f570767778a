import type { Config } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import { authenticatorsResource } from '../identity/factors/authenticators-resource.ts';
import { browsersResource } from '../identity/factors/browsers-resource.ts';
import { passkeysResource } from '../identity/factors/passkeys-resource.ts';
import { rolesResource } from '../identity/roles/roles-resource.ts';
import { usersResource } from '../identity/users/users-resource.ts';
import { consentsResource } from '../oauth/authorize/consents-resource.ts';
import { clientsResource } from '../oauth/clients/clients-resource.ts';
import { KnownScopes } from '../oauth/clients/scopes/scopes.ts';
import { tokensResource } from '../oauth/sessions/personal-tokens/tokens-resource.ts';
import { eventsResource } from '../resources/audit/events-resource.ts';
import type { ResourceDefinition } from '../resources/declaration/define-resource.ts';
import { loadResources } from '../resources/load-resources.ts';
import { jobsResource } from '../resources/queue/jobs-resource.ts';
import { jobRunsResource, scheduledJobsResource } from '../resources/queue/scheduled-jobs-resource.ts';
import { loadProviderResources } from './extensions.ts';
import { type CustomRoutes, openCustomRoutes } from './open-custom-routes.ts';
import { serviceTables } from './service-tables.ts';
import type { Services } from './services.ts';

export const builtinResources = async (context: Context, services: Services): Promise<ResourceDefinition[]> => [
  usersResource(services.accounts, services.factors),
  rolesResource(context.config),
  clientsResource(services.keys, services.scopes, services.proxiedClients, services.accounts.mail),
  tokensResource(services.sessions, services.scopes, services.accounts.mail),
  passkeysResource(services.factors),
  authenticatorsResource(services.factors),
  browsersResource,
  ...(await loadProviderResources(services.factors)),
  eventsResource,
  consentsResource(services.sessions),
  jobsResource,
  scheduledJobsResource(services.jobs),
  jobRunsResource,
];

/** The scopes of all resources and routes, for commands, which do not serve them. */
export async function knownScopes(config: Config): Promise<KnownScopes> {
  const resources = [...serviceTables, ...(await loadResources(config.resourcesDir))];
  return addScopes(config, new KnownScopes(), resources, await openCustomRoutes(config.routesDir));
}

export function addScopes(
  config: Config,
  scopes: KnownScopes,
  resources: readonly { readonly name: string; readonly label?: string | undefined }[],
  { routes }: Pick<CustomRoutes, 'routes'>,
): KnownScopes {
  for (const { name, label } of resources) scopes.addResource(name, label);
  for (const { scope } of routes) if (scope) scopes.add(scope);
  for (const [scope, text] of Object.entries(config.scopes)) scopes.add(scope, text);
  return scopes;
}
