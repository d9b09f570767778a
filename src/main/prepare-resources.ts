import { roleNames } from '../config/config.ts';
import type { Context } from '../database/context.ts';
import type { ResourceDefinition } from '../resources/declaration/define-resource.ts';
import { loadResources } from '../resources/load-resources.ts';
import { readSchemas } from '../resources/schemas/schema-store.ts';
import { withStoredNames } from '../resources/schemas/storage-schema.ts';

type Definitions = readonly ResourceDefinition[];

/** Changes the tables to the declarations, and runs the operator's pending migrations. Returns a text for each step. */
export type MigrateResources = (definitions: Definitions) => Promise<readonly string[]>;

/** Rejects wrong declarations of the operator. Returns warnings. Without a declaration, the extension is not loaded. */
export async function checkDeclarations(
  declared: Definitions,
  knownNames: { readonly roles?: readonly string[]; readonly scopes?: readonly string[] },
  builtinDefinitions: Definitions,
): Promise<readonly string[]> {
  if (declared.length === 0) return [];
  const { checkDefinitions } = await import('../../extensions/declaration-checks/check-definitions.ts');
  return checkDefinitions(declared, knownNames, builtinDefinitions);
}

/** Checks and migrates the declarations. Returns those that have routes. */
export async function prepareResources(
  { config, database, log }: Context,
  builtinDefinitions: Definitions,
  migrate: MigrateResources,
  scopesOf?: (definitions: Definitions) => readonly string[],
): Promise<ResourceDefinition[]> {
  const declared = await loadResources(config.resourcesDir);
  const definitions = [...builtinDefinitions, ...declared];
  const served = definitions.filter((definition) => definition.served !== false);
  // The checks below report a missing name.
  const scopes = scopesOf?.(served.filter(({ name }) => typeof name === 'string'));
  const knownNames = { roles: roleNames(config), ...(scopes ? { scopes } : {}) };
  const warnings = await checkDeclarations(declared, knownNames, builtinDefinitions);
  const steps = await migrate(definitions);
  // A first start takes dozens of steps.
  if (steps.length > 5) log.info({ steps: steps.length }, 'migrated resources');
  else for (const step of steps) log.info({ step }, 'migrated resources');
  for (const warning of warnings) log.warn(warning);
  return withStoredNames(served, await readSchemas(database.db));
}
