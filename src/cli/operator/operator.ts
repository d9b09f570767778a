import type { Context } from '../../database/context.ts';
import { systemSource } from '../../http/request-source.ts';
import { checkDeclarations } from '../../main/prepare-resources.ts';
import { systemCaller } from '../../platform/caller.ts';
import { OperatorError, Problem } from '../../platform/errors.ts';
import { loadResources } from '../../resources/load-resources.ts';
import { compileResources, type Resource } from '../../resources/model/resource.ts';
import type { ResourceServices } from '../../resources/model/resource-services.ts';
import { defaultRowQuery } from '../../resources/query/list-query.ts';
import { selectionFor } from '../../resources/read/resource-cache.ts';
import { readSchemas } from '../../resources/schemas/schema-store.ts';
import { withStoredNames } from '../../resources/schemas/storage-schema.ts';
import { createCall } from '../../resources/write/resource-calls.ts';
import { changeResource, deleteResource } from '../../resources/write/write-resource.ts';
import { withContext } from './with-context.ts';

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
  return new OperatorError(`There is no ${singularName} "${id}". List them with: gatehouse ${singularName} list`);
};

/** Includes the operator's declarations, because they may refer to the row. */
async function openResources(context: Context): Promise<ResourceServices> {
  const { builtinResources } = await import('../../main/builtin-resources.ts');
  const { createServices } = await import('../../main/services.ts');
  const services = await createServices(context);
  const builtinDefinitions = await builtinResources(context, services);
  const loadedDefinitions = await loadResources(context.config.resourcesDir);
  await checkDeclarations(loadedDefinitions, {}, builtinDefinitions);
  const stored = withStoredNames([...builtinDefinitions, ...loadedDefinitions], await readSchemas(context.database.db));
  const { lockAuthority } = services.oauth;
  const { keys, enqueuing, proveByPassword } = services;
  const resources = compileResources(stored);
  return { context, resources, keys: keys.macKeys, lockAuthority, proveByPassword, enqueuing };
}
