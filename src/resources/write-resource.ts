import { changeAndTell } from '../database/bus.ts';
import { isForeignKeyViolation } from '../database/constraint-errors.ts';
import { conflict, preconditionFailed } from '../errors.ts';
import type { Call, WriteCall } from './define-resource.ts';
import { type IdempotencyKey, type KeptAnswer, keepAnswer, takeKey } from './idempotency.ts';
import type { Selection } from './list-query.ts';
import { type Input, readInput, type Values, type WriteMode } from './read-input.ts';
import { noSuchRow, rowJson, versionOf } from './read-rows.ts';
import type { Resource } from './resource.ts';
import type { ResourceServices } from './resource-services.ts';
import { shownRow, wholeColumns } from './row-json.ts';
import { type Asker, allowedRows, type Deed } from './row-rules.ts';
import { type Place, raw, readOnce, readRepeated, type StoredRow, sql } from './sql-text.ts';
import { mayNot, type Writing } from './write-checks.ts';
import { changeRow, insertRow, removeRow } from './write-row.ts';

export interface WriteRequest {
  readonly call: Call;
  readonly body: unknown;
  readonly isForm: boolean;
  /** How the answer shows the row. */
  readonly selection: Selection;
}

export interface CreateRequest extends WriteRequest {
  /** Values that the path gives. */
  readonly fixed?: Values;
  readonly key: IdempotencyKey | undefined;
  /** Ties the new row to a parent in the same transaction: the link's resource and its values. */
  readonly link?: { resource: Resource; values: (id: string) => Values };
}

export interface ChangeRequest extends WriteRequest {
  readonly id: string;
  readonly mode: 'replace' | 'update';
  readonly ifMatch: string | undefined;
}

/** Runs work in the transaction of a write, and keeps what it reveals for its answer. */
async function inTransaction<T>(
  services: ResourceServices,
  call: Call,
  work: (writing: Writing, revealed: Values) => Promise<T>,
): Promise<T> {
  const { database } = services.context;
  const revealed: Values = {};
  return changeAndTell(database, (tx, tell) => {
    const writeCall: WriteCall = { ...call, tx, tell, reveal: (fields) => void Object.assign(revealed, fields) };
    const place: Place = { engine: database.engine, db: tx };
    const asker: Asker = { engine: database.engine, caller: call.caller, now: call.now };
    return work({ services, call: writeCall, place, asker }, revealed);
  });
}

async function inputOf(
  resource: Resource,
  { call, body, isForm }: WriteRequest,
  mode: WriteMode,
  id: string | undefined,
  fixed?: Values,
): Promise<Input> {
  const input = readInput(resource, body, mode, isForm, call, fixed);
  const more = await resource.definition.hooks?.prepare?.(call, { operation: mode, id, values: input.values });
  return more ? { ...input, values: { ...input.values, ...more } } : input;
}

const revealedJson = (revealed: Values): string =>
  Object.entries(revealed)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`)
    .join('');

/** `POST`: the answer is 201 with the row and where it is. */
export async function createResource(
  services: ResourceServices,
  resource: Resource,
  request: CreateRequest,
): Promise<KeptAnswer> {
  const { call, key, link } = request;
  const input = await inputOf(resource, request, 'create', undefined, request.fixed);
  return inTransaction(services, call, async (writing, revealed) => {
    const kept = key && (await takeKey(writing.call.tx, key, call.now));
    if (kept) return kept;
    const row = await insertRow(writing, resource, input.values);
    const id = row.id as string;
    if (link)
      await insertRow(writing, link.resource, readInput(link.resource, link.values(id), 'create', false, call).values);
    const extra = revealedJson(revealed);
    const { json, etag } = await rowJson(writing.place, resource, request.selection, row, writing.asker, extra);
    const answer = {
      status: 201,
      headers: {
        location: `${services.context.config.baseUrl}/v1/${resource.name}/${encodeURIComponent(id)}`,
        etag,
        ...(extra ? { 'cache-control': 'no-store' } : {}),
      },
      body: json,
    };
    if (key) await keepAnswer(writing.call.tx, key, answer);
    return answer;
  });
}

/** `PUT` and `PATCH`. The check of `If-Match` and the write are one transaction, under a lock of the row. */
export async function changeResource(
  services: ResourceServices,
  resource: Resource,
  request: ChangeRequest,
): Promise<{ json: string; etag: string; revealed: boolean }> {
  const { call, id, mode, ifMatch, selection } = request;
  if (resource.idKind.check(id, {})) throw noSuchRow(resource);
  const input = await inputOf(resource, request, mode, id);
  return inTransaction(services, call, async (writing, revealed) => {
    const before = await lockRow(writing, resource, id, 'update', ifMatch);
    const row = await changeRow(writing, resource, before, input);
    const extra = revealedJson(revealed);
    const tagged = await rowJson(writing.place, resource, selection, row, writing.asker, extra);
    return { ...tagged, revealed: extra !== '' };
  });
}

/** What an action of the service's own writes into the row that it is about. */
export async function changeByAction(
  services: ResourceServices,
  resource: Resource,
  call: Call,
  id: string,
  values: Values,
): Promise<Values> {
  return inTransaction(services, call, async (writing) => {
    const before = await lockRow(writing, resource, id, 'read', undefined);
    const row = await changeRow({ ...writing, ruled: false }, resource, before, { values, unchanged: {} });
    return shownRow(resource, row);
  });
}

/** `DELETE`. */
export async function deleteResource(
  services: ResourceServices,
  resource: Resource,
  { call, id, body, ifMatch }: Pick<ChangeRequest, 'call' | 'id' | 'body' | 'ifMatch'>,
): Promise<void> {
  if (resource.idKind.check(id, {})) throw noSuchRow(resource);
  await resource.definition.hooks?.prepareDelete?.(call, { id, body: (body ?? {}) as Values });
  try {
    await inTransaction(services, call, async (writing) => {
      const before = await lockRow(writing, resource, id, 'delete', ifMatch);
      await removeRow(writing, resource, before);
    });
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw conflict(await whoRefers(services, resource, id), 'still_referred_to');
  }
}

/** The row as it is, locked: 404 when the caller may not see it, 403 when it may but not this, 412 when it moved on. */
async function lockRow(
  { place, asker }: Writing,
  resource: Resource,
  id: string,
  deed: Deed,
  ifMatch: string | undefined,
): Promise<StoredRow> {
  const lock = raw(place.engine === 'postgres' ? ' for update of t' : '');
  const [row] = await readRepeated(
    place,
    sql`select ${raw(wholeColumns(resource))}, case when ${allowedRows(resource, deed, asker)} then 1 else 0 end as "_allowed" from ${raw(resource.table)} as t where t."id" = ${id} and ${allowedRows(resource, 'read', asker)}${lock}`,
  );
  if (!row) throw noSuchRow(resource);
  if (row._allowed !== 1) throw mayNot(resource, deed);
  if (ifMatch !== undefined && !matchesVersion(ifMatch, resource, row)) {
    throw preconditionFailed(
      `This ${resource.singular} was changed since it was read, or If-Match is not an ETag of it. Read it again.`,
    );
  }
  return row;
}

/** RFC 9110 13.1.1: strong comparison, lists and `*` included; of our tags the version alone counts. */
function matchesVersion(header: string, resource: Resource, row: StoredRow): boolean {
  if (header.trim() === '*') return true;
  const start = `"${versionOf(resource, row)}-`;
  return resource.versioned && header.split(',').some((tag) => tag.trim().startsWith(start));
}

async function whoRefers({ resources, context }: ResourceServices, resource: Resource, id: string): Promise<string> {
  const place: Place = context.database;
  const names: string[] = [];
  for (const other of resources.values()) {
    for (const field of other.stored) {
      if (field.type !== 'reference' || field.options.target !== resource.name) continue;
      if ((field.options.onDelete ?? 'restrict') !== 'restrict') continue;
      const rows = await readOnce(
        place,
        sql`select 1 as one from ${raw(other.table)} as t where ${raw(field.compared('t'))} = ${id} limit 1`,
      );
      if (rows.length > 0) names.push(`${other.name} (${field.name})`);
    }
  }
  return `This ${resource.singular} is still referred to by ${names.join(', ') || 'other rows'}. Change or delete those first.`;
}
