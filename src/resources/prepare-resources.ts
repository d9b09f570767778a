import { roleNames } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import { checkDefinitions } from './declaration/check-definitions.ts';
import type { ResourceDefinition } from './declaration/define-resource.ts';
import { loadResources } from './load-resources.ts';
import { readSchemas } from './schemas/schema-store.ts';
import { missingIndexWarnings, withStoredNames } from './schemas/storage-schema.ts';

/** Changes the tables to the declarations, and runs the operator's pending migrations. Returns a text for each step. */
export type MigrateResources = (definitions: readonly ResourceDefinition[]) => Promise<readonly string[]>;

/** Checks and migrates the declarations. Returns those that have routes. */
export async function prepareResources(
  { config, database, log }: Context,
  builtinDefinitions: readonly ResourceDefinition[],
  migrate: MigrateResources,
  scopesOf?: (definitions: readonly ResourceDefinition[]) => readonly string[],
): Promise<ResourceDefinition[]> {
  const loadedDefinitions = await loadResources(config.resourcesDir);
  const definitions = [...builtinDefinitions, ...loadedDefinitions];
  const served = definitions.filter((definition) => definition.served !== false);
  // `checkDefinitions` reports a missing name.
  const scopes = scopesOf?.(served.filter(({ name }) => typeof name === 'string'));
  const knownNames = { roles: roleNames(config), ...(scopes ? { scopes } : {}) };
  checkDefinitions(loadedDefinitions, knownNames, builtinDefinitions);
  const steps = await migrate(definitions);
  // A first start takes dozens of steps.
  if (steps.length > 5) log.info({ steps: steps.length }, 'migrated resources');
  else for (const step of steps) log.info({ step }, 'migrated resources');
  for (const warning of missingIndexWarnings(definitions)) log.warn(warning);
  return withStoredNames(served, await readSchemas(database.db));
}
