import { isForeignKeyViolation } from '../../database/constraint-errors.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { conflict, Problem } from '../../platform/errors.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { existingRows, type QueryContext, queryContext } from '../model/row-rules.ts';
import { isRow, rowJson, rowNotFound } from '../read/read-rows.ts';
import type { JsonWithEtag } from '../read/row-json.ts';
import { readUnprepared, type StoredRow } from '../sql/executor.ts';
import { raw, sql } from '../sql/sql-text.ts';
import { lockRow } from './allowed-row.ts';
import { batchCreate, canBatchCreate } from './batch-create.ts';
import { claimKey, hasStoredResponse, type StoredResponse, storeResponse } from './idempotency.ts';
import { type ChangeRequest, type CreateRequest, type Link, prepareChange, prepareCreate } from './prepare-write.ts';
import type { Values } from './read-input.ts';
import { referrersOf } from './soft-delete.ts';
import { withPasswordProof } from './with-password-proof.ts';
import { changeRow, insertRow, removeRow, restoreRow } from './write-row.ts';
import { inTransaction, type WriteContext } from './write-transaction.ts';

/** The JSON of a written row. For a retry with the same key, it is stored without the secrets that are shown once. */
async function writtenJson(
  write: WriteContext,
  resource: Resource,
  { selection, key }: Pick<ChangeRequest, 'selection' | 'key'>,
  row: StoredRow,
  headers: Record<string, string> = {},
) {
  const revealedMembers = Object.entries(write.revealed)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`)
    .join('');
  const jsonWithEtag = await rowJson(write, resource, selection, row, revealedMembers);
  if (key) {
    const { etag, json } = revealedMembers === '' ? jsonWithEtag : await rowJson(write, resource, selection, row);
    await storeResponse(write.call.tx, key, { id: row.id, headers: { ...headers, etag }, body: json });
  }
  return { ...jsonWithEtag, revealed: revealedMembers !== '' };
}

export async function createResource(services: ResourceServices, resource: Resource, request: CreateRequest) {
  const { key, link } = request;
  // A request that already has a response does not run again.
  const isRetry = await hasStoredResponse(services.context, key);
  const provenRequest = isRetry ? request : await withPasswordProof(services, resource, request);
  const input = isRetry
    ? undefined
    : await prepareCreate(services, resource, { ...provenRequest, creates: link?.resource });
  const { call, selection } = provenRequest;
  const locationOf = (id: string) => `${services.context.config.baseUrl}/v1/${resource.name}/${encodeURIComponent(id)}`;
  if (input && !key && !link && selection.includes.length === 0 && canBatchCreate(resource)) {
    const row = await batchCreate(services, resource, { call, values: input.values });
    const { json, etag } = await rowJson(queryContext(services.context.database, call), resource, selection, row);
    return { headers: { location: locationOf(row.id), etag }, body: json };
  }
  // Chosen before the transaction, so that the connecting row can be prepared there too.
  const newId = input && link && !resource.definition.create ? uuidv7(call.now) : undefined;
  const prepareLink = ({ resource: linking, values }: Link, id: string, linkCall: Call) =>
    prepareCreate(services, linking, { call: linkCall, body: values(id), isForm: false, creates: resource });
  const linkInput = link && newId ? await prepareLink(link, newId, call) : undefined;
  const scope = link ? [resource.writeScope, link.resource.writeScope] : resource.writeScope;
  return inTransaction(services, resource, call, { scope }, async (write) => {
    const storedResponse = key && (await claimKey(write.call.tx, key, call.now));
    if (storedResponse) return repeatResponse(write, resource, storedResponse);
    if (!input) throw responseExpired();
    const row = await insertRow(write, resource, { ...input.values }, newId);
    if (link) {
      const { values } = linkInput ?? (await prepareLink(link, row.id, write.call));
      await insertRow(write, link.resource, { ...values });
    }
    const location = locationOf(row.id);
    const { json, etag, revealed } = await writtenJson(write, resource, provenRequest, row, { location });
    return { headers: { location, etag, ...(revealed ? { 'cache-control': 'no-store' } : {}) }, body: json };
  });
}

const responseExpired = () =>
  conflict('The response stored for this Idempotency-Key has just expired. Send the request again.');

/** The response to the first request with this key, as long as its row exists. */
async function repeatResponse(context: QueryContext, resource: Resource, storedResponse: StoredResponse) {
  if (await isRow(context, resource, storedResponse.id, existingRows(resource, context))) return storedResponse;
  throw new Problem(
    410,
    'Gone',
    'The row that the first request with this Idempotency-Key created or changed has been deleted.',
    { code: 'gone' },
  );
}

/** `PUT` and `PATCH`. The check of `If-Match` and the write are one transaction, under a lock of the row. */
export async function changeResource(services: ResourceServices, resource: Resource, request: ChangeRequest) {
  const { id, ifMatch, key } = request;
  if (resource.idType.check(id, {})) throw rowNotFound(resource);
  const isRetry = await hasStoredResponse(services.context, key);
  const provenRequest = isRetry ? request : await withPasswordProof(services, resource, request);
  const input = isRetry ? undefined : await prepareChange(services, resource, provenRequest);
  const { call } = provenRequest;
  return inTransaction(services, resource, call, { scope: resource.writeScope, id }, async (write) => {
    // Checked before If-Match, because a retry names the version before the first request.
    const storedResponse = key && (await claimKey(write.call.tx, key, call.now));
    if (storedResponse) {
      const { headers, body } = await repeatResponse(write, resource, storedResponse);
      return { json: body, etag: headers.etag ?? '', revealed: false };
    }
    if (!input) throw responseExpired();
    const before = await lockRow(write, resource, id, 'update', ifMatch);
    const row = await changeRow(write, resource, before, { ...input, values: { ...input.values } });
    return writtenJson(write, resource, request, row);
  });
}

interface DeleteRequest extends Pick<ChangeRequest, 'call' | 'id' | 'body' | 'ifMatch' | 'key'> {
  /** Permanently deletes a row that is already soft-deleted. */
  readonly forGood?: boolean;
}

export async function deleteResource(
  services: ResourceServices,
  resource: Resource,
  { id, ifMatch, key, forGood, ...request }: DeleteRequest,
): Promise<void> {
  if (resource.idType.check(id, {})) throw rowNotFound(resource);
  const isRetry = await hasStoredResponse(services.context, key);
  const { call, body } = isRetry ? request : await withPasswordProof(services, resource, request);
  if (!isRetry) await resource.definition.hooks?.prepareDelete?.(call, { id, body: (body ?? {}) as Values });
  const work = async (write: WriteContext) => {
    const { tx } = write.call;
    if (key && (await claimKey(tx, key, call.now))) return;
    if (isRetry) throw responseExpired();
    const deleted = forGood ? { deleted: { resource, filter: 'only' as const } } : {};
    const before = await lockRow({ ...write, ...deleted }, resource, id, 'delete', ifMatch);
    await removeRow(write, resource, before, { forGood });
    if (key) await storeResponse(tx, key, { id, headers: {}, body: '' });
  };
  await mapReferenceViolation(services, resource, id, () =>
    inTransaction(services, resource, call, { scope: resource.writeScope, id }, work),
  );
}

/** Runs a deletion. If other rows prevent it, the error names their resources. */
export async function mapReferenceViolation(
  services: ResourceServices,
  resource: Resource,
  id: string,
  remove: () => Promise<void>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw conflict(await referringResources(services, resource, id), 'still_referred_to');
  }
}

/** `POST /v1/<resources>/<id>/restorations`. A row that is not deleted stays as it is. */
export async function restoreResource(
  services: ResourceServices,
  resource: Resource,
  { id, ifMatch, selection, ...request }: Pick<ChangeRequest, 'call' | 'id' | 'body' | 'ifMatch' | 'selection'>,
): Promise<JsonWithEtag> {
  const { call } = await withPasswordProof(services, resource, request);
  return inTransaction(services, resource, call, { scope: resource.writeScope, id }, async (write) => {
    const row = await restoreLocked(write, resource, id, ifMatch);
    return rowJson(write, resource, selection, row);
  });
}

/** Locks a row and restores it, if it is deleted. */
export async function restoreLocked(write: WriteContext, resource: Resource, id: string, ifMatch: string | undefined) {
  const deleted = { resource, filter: 'with' } as const;
  const before = await lockRow({ ...write, deleted }, resource, id, 'delete', ifMatch);
  return before.deleted_at === null ? before : restoreRow(write, resource, before);
}

async function referringResources({ resources, context }: ResourceServices, resource: Resource, id: string) {
  const names: string[] = [];
  for (const { resource: referrer, column, name, onDelete } of referrersOf(resources, resource)) {
    if (onDelete !== 'restrict') continue;
    const rows = await readUnprepared(
      context.database,
      sql`select 1 as one from ${raw(referrer.table)} as t where ${column} = ${id} limit 1`,
    );
    if (rows.length > 0) names.push(`${referrer.name} (${name})`);
  }
  return `This ${resource.singular} is still referred to by ${names.join(', ') || 'other rows'}. Change or delete those first.`;
}
