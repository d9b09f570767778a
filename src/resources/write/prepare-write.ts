import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { allowedRows, queryContext } from '../model/row-rules.ts';
import type { Selection } from '../read/resource-cache.ts';
import { sqlFalse } from '../sql/sql-text.ts';
import { allowedRow } from './allowed-row.ts';
import type { IdempotencyKey } from './idempotency.ts';
import { type Input, readInput, type Values, type WriteInput, type WriteMode } from './read-input.ts';
import { operationForbidden } from './write-checks.ts';

interface WriteRequest extends WriteInput {
  readonly call: Call;
  /** The fields and includes of the response. */
  readonly selection: Selection;
}

/** Links a new row to its parent in the same transaction: the linking resource and its values. */
export interface Link {
  readonly resource: Resource;
  values(id: string): Values;
}

export interface CreateRequest extends WriteRequest {
  readonly key: IdempotencyKey | undefined;
  readonly link?: Link;
}

export interface ChangeRequest extends WriteRequest {
  readonly id: string;
  readonly mode: 'replace' | 'update';
  readonly ifMatch: string | undefined;
  readonly key?: IdempotencyKey | undefined;
}

type PreparedRequest = Omit<WriteRequest, 'selection'> & { readonly mode: WriteMode; readonly id?: string };

/** The values of a new row. A caller who may not create one is rejected before any other work. */
export function prepareCreate(
  services: ResourceServices,
  resource: Resource,
  /** `creates`: the resource of another row that the same request creates. */
  request: Omit<PreparedRequest, 'mode'> & { readonly creates?: Resource | undefined },
): Promise<Input> {
  return prepareWrite(resource, { ...request, mode: 'create' }, async () => {
    for (const created of request.creates ? [resource, request.creates] : [resource]) {
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
  request: PreparedRequest,
  requireRights: () => Promise<void>,
): Promise<Input> {
  const { call, mode, id } = request;
  const input = readInput(resource, mode, request, call);
  const { prepare } = resource.definition.hooks ?? {};
  if (!prepare) return input;
  await requireRights();
  const addedValues = await prepare(call, { operation: mode, id, values: input.values });
  return addedValues ? { ...input, values: { ...input.values, ...addedValues } } : input;
}
