import { withContext } from '../../src/cli/operator/with-context.ts';
import type { Context } from '../../src/database/context.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { aggregateRows } from '../../src/main/open-aggregates.ts';
import { checkDeclarations } from '../../src/main/prepare-resources.ts';
import { systemCaller } from '../../src/platform/caller.ts';
import { OperatorError, Problem } from '../../src/platform/errors.ts';
import { loadResources } from '../../src/resources/load-resources.ts';
import { compileResources, type Resource } from '../../src/resources/model/resource.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import { defaultRowQuery } from '../../src/resources/query/list-query.ts';
import { selectionFor } from '../../src/resources/read/resource-cache.ts';
import { readSchemas } from '../../src/resources/schemas/schema-store.ts';
import { withStoredNames } from '../../src/resources/schemas/storage-schema.ts';
import { createCall } from '../../src/resources/write/resource-calls.ts';
import { changeResource, deleteResource } from '../../src/resources/write/write-resource.ts';

type Operator = Awaited<ReturnType<typeof openOperator>>;

/** Runs a command with the functions of the API: the same rules, and one audit event. */
export const asOperator = <T>(work: (operator: Operator) => Promise<T>): Promise<T> =>
  withContext(async (context) => work(await openOperator(context)));

/** Writes resources like the API, on behalf of the operator, without a password. */
async function openOperator(context: Context) {
  const services = await openResources(context);
  const resourceOf = (name: string) => services.resources.get(name) as Resource;
  const call = () => createCall(services, { caller: systemCaller, source: systemSource });
  return {
    context,
    /** Like PATCH. */
    async change(name: string, id: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
      const resource = resourceOf(name);
      const selection = selectionFor(resource, defaultRowQuery);
      const request = { call: call(), id, body, isForm: false, selection, mode: 'update', ifMatch: undefined } as const;
      const { json } = await changeResource(services, resource, request);
      return JSON.parse(json);
    },
    /** Like DELETE. */
    async remove(name: string, id: string): Promise<void> {
      try {
        await deleteResource(services, resourceOf(name), { call: call(), id, body: {}, ifMatch: undefined });
      } catch (error) {
        throw error instanceof Problem && error.status === 404 ? notFoundError(name, id) : error;
      }
    },
  };
}

const singularNames = new Map([
  ['clients', 'client'],
  ['tokens', 'session'],
  ['users', 'user'],
]);

/** The message of the API is for callers who may not see everything. */
const notFoundError = (resource: string, id: string): OperatorError => {
  const singularName = singularNames.get(resource) ?? resource;
  return new OperatorError(
    `There is no ${singularName} "${id}". List them with: npx gatehouse-server ${singularName} list`,
  );
};

/** Includes the operator's declarations, because they may refer to the row. */
async function openResources(context: Context): Promise<ResourceServices> {
  const { builtinResources } = await import('../../src/main/builtin-resources.ts');
  const { createServices } = await import('../../src/main/services.ts');
  const services = await createServices(context);
  const builtinDefinitions = await builtinResources(context, services);
  const loadedDefinitions = await loadResources(context.config.resourcesDir);
  await checkDeclarations(loadedDefinitions, {}, builtinDefinitions);
  const stored = withStoredNames([...builtinDefinitions, ...loadedDefinitions], await readSchemas(context.database.db));
  const { lockAuthority } = services.oauth;
  const { keys, enqueuing, proveByPassword } = services;
  const resources = compileResources(stored);
  return { context, resources, keys: keys.macKeys, lockAuthority, proveByPassword, enqueuing, aggregateRows };
}
