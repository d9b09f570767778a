import { queryContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { allowedRows } from '../model/row-rules.ts';
import { sqlFalse } from '../sql/sql-text.ts';
import { allowedRow } from './allowed-row.ts';
import { type Input, readInput, type WriteMode } from './read-input.ts';
import { operationForbidden } from './write-checks.ts';
import type { ChangeRequest, CreateRequest, WriteRequest } from './write-requests.ts';

type PreparedRequest = Omit<WriteRequest, 'selection'> &
  Pick<CreateRequest, 'fixed'> & { readonly mode: WriteMode; readonly id?: string | undefined };

/** The values of a new row. A caller who may not create one is rejected before any other work. */
export function prepareCreate(services: ResourceServices, resource: Resource, request: CreateRequest): Promise<Input> {
  return prepareWrite(resource, { ...request, mode: 'create' }, async () => {
    for (const created of request.link ? [resource, request.link.resource] : [resource]) {
      if (allowedRows(created, 'create', queryContext(services.context.database, request.call)) === sqlFalse)
        throw operationForbidden(created, 'create');
    }
  });
}

/** The new values of a row. A caller who may not see or change the row is rejected before any other work. */
export function prepareChange(services: ResourceServices, resource: Resource, request: ChangeRequest): Promise<Input> {
  return prepareWrite(resource, request, async () => {
    await allowedRow(queryContext(services.context.database, request.call), resource, request.id, 'update');
  });
}

/**
 * The transaction checks the rights in any case. This check runs before the `prepare` hook, because that hook may be slow or call other
 * services.
 */
export async function prepareWrite(
  resource: Resource,
  { call, body, isForm, asService, mode, id, fixed }: PreparedRequest,
  requireRights: () => Promise<void>,
): Promise<Input> {
  const input = readInput(resource, mode, { body, isForm, asService, fixed }, call);
  const { prepare } = resource.definition.hooks ?? {};
  if (!prepare) return input;
  await requireRights();
  const addedValues = await prepare(call, { operation: mode, id, values: input.values });
  return addedValues ? { ...input, values: { ...input.values, ...addedValues } } : input;
}
