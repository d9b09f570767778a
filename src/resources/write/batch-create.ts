import { AsyncResource } from 'node:async_hooks';
import { Batcher } from '../../database/postgres/batching/batcher.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { codeOf } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { allowedRows } from '../model/row-rules.ts';
import { wholeColumns, wholeRow } from '../read/row-json.ts';
import { readPrepared, type StoredRow, write } from '../sql/executor.ts';
import { type Fragment, quoted, raw, sql, sqlFalse, sqlTrue } from '../sql/sql-text.ts';
import type { Values } from './read-input.ts';
import { operationForbidden, recordWrite, referencesOf } from './write-checks.ts';
import type { WriteContext } from './write-context.ts';
import { newRow } from './write-row.ts';
import { inTransaction } from './write-transaction.ts';

interface Creation<T> {
  readonly call: Call;
  readonly values: Values;
  alone(): Promise<T>;
  response(row: StoredRow): Promise<T>;
}

const transactionsAtOnce = 2;
const maxRows = 100;
/**
 * If the transaction waits longer for a lock, it is undone. Each row is then created in a separate transaction, and no row waits for
 * another.
 */
const lockTimeoutMs = 100;

/** Long enough for a busy machine. If later rows did not wait, each would be created alone, which would increase the load further. */
const expectedMs = 200;

type Outcome = { readonly value: unknown } | { readonly error: unknown };
/** The outcome is undefined for a row that has to be created alone. */
type CreateBatcher = Batcher<Creation<unknown>, Outcome | undefined>;

const batchers = new WeakMap<ResourceServices, Map<string, CreateBatcher>>();

/** Whether rows of this resource can be created together. A row with hooks needs a separate transaction. */
export const canBatchCreate = (
  { context: { database } }: ResourceServices,
  { definition: { managed, create, hooks }, ofAccounts }: Resource,
): boolean => database.engine === 'postgres' && managed && !create && !hooks && !ofAccounts;

/**
 * On PostgreSQL, rows that one caller creates at the same time share a transaction. It checks the caller's rights once and inserts all rows
 * with one statement. If a row cannot be created in this way, it is created alone and gets the usual response. Rows of two callers never
 * share a transaction, so no caller waits for another.
 */
export async function batchCreate<T>(services: ResourceServices, resource: Resource, creation: Creation<T>) {
  const byKey = getOrCreate(batchers, services, () => new Map());
  const key = `${resource.name} ${JSON.stringify(creation.call.caller)}`;
  const limits = { concurrency: transactionsAtOnce, maxItems: maxRows, expectedMs };
  const batcher = getOrCreate(
    byKey,
    key,
    (): CreateBatcher => new Batcher(limits, (creations) => createAll(services, resource, creations)),
  );
  try {
    // Another request may run it. `bind` keeps its statements in the trace of this request.
    const outcome = await batcher.add({ ...creation, alone: AsyncResource.bind(creation.alone) });
    if (!outcome) return await creation.alone();
    if ('error' in outcome) throw outcome.error;
    return outcome.value as T;
  } finally {
    if (batcher.isIdle && byKey.get(key) === batcher) byKey.delete(key);
  }
}

async function createAll(services: ResourceServices, resource: Resource, creations: readonly Creation<unknown>[]) {
  const [first, second] = creations;
  if (first && !second) return [await outcomeOf(first.alone())];
  const rows = await insertAll(services, resource, creations);
  return Promise.all(creations.map(({ response }, i) => (rows[i] ? outcomeOf(response(rows[i])) : undefined)));
}

const outcomeOf = (response: Promise<unknown>): Promise<Outcome> =>
  response.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** The stored rows. Undefined for rows that have to be created alone. */
async function insertAll(services: ResourceServices, resource: Resource, creations: readonly Creation<unknown>[]) {
  const { call } = creations[0] as Creation<unknown>;
  let mayBeCommitted = false;
  try {
    return await inTransaction(services, resource, call, { scope: resource.writeScope }, async (context) => {
      mayBeCommitted = false;
      const rows = await insertRows(context, resource, creations);
      mayBeCommitted = true;
      return rows;
    });
  } catch (error) {
    // Without a response to the commit, the outcome is unknown. The rows must not be created again.
    if (mayBeCommitted && !wasRefused(error)) throw error;
    return [];
  }
}

/** PostgreSQL responded that it did not commit, because of a deferred constraint or a trigger. */
const wasRefused = (error: unknown): boolean => /^(23|P0)...$/.test(codeOf(error) ?? '');

async function insertRows(context: WriteContext, resource: Resource, creations: readonly Creation<unknown>[]) {
  const rule = allowedRows(resource, 'create', context);
  if (rule === sqlFalse) throw operationForbidden(resource, 'create');
  await write(context, sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`);
  const refers = await visibleReferences(context, resource, creations);
  const ids = creations.map(({ call }) => uuidv7(call.now));
  const stored = creations.flatMap(({ call, values }, i) =>
    refers(values) ? [newRow(resource, ids[i] as string, values, call.now)] : [],
  );
  if (stored.length === 0) return [];
  const inserted = await insertStatement(context, resource, stored);
  if (rule !== sqlTrue) await requireRuleOfAll(context, resource, inserted, rule);
  const byId = new Map(inserted.map((row) => [row.id, row]));
  const rows = ids.map((id) => byId.get(id));
  for (const [i, { call }] of creations.entries()) {
    const row = rows[i];
    if (!row || !resource.definition.events) continue;
    const own = { ...context, call: { ...context.call, source: call.source } };
    await recordWrite(own, resource, 'created', { id: row.id, after: wholeRow(resource, row) });
  }
  return rows;
}

/** Skips a row if another row has the same unique value. */
function insertStatement(context: WriteContext, resource: Resource, stored: readonly Map<string, unknown>[]) {
  const columns = raw([...(stored[0] as Map<string, unknown>).keys()].map(quoted).join(', '));
  const table = raw(resource.table);
  const json = JSON.stringify(stored.map((row) => Object.fromEntries(row)));
  return write(
    context,
    sql`insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, ${json}) on conflict do nothing returning ${raw(wholeColumns(resource))}`,
  );
}

const idsAmong = (ids: readonly unknown[]): Fragment => sql`t."id" = any(array(select unnest(${ids}::text[])))`;

async function requireRuleOfAll(
  context: WriteContext,
  resource: Resource,
  inserted: readonly StoredRow[],
  rule: Fragment,
): Promise<void> {
  const allowed = await readPrepared(
    context,
    sql`select 1 as one from ${raw(resource.table)} as t where ${idsAmong(inserted.map(({ id }) => id))} and ${rule}`,
  );
  if (allowed.length < inserted.length) throw operationForbidden(resource, 'create');
}

async function visibleReferences(
  context: WriteContext,
  resource: Resource,
  creations: readonly Creation<unknown>[],
): Promise<(values: Values) => boolean> {
  const visible = new Map<string, ReadonlySet<unknown>>();
  for (const { name, target, held } of referencesOf(context, resource)) {
    const ids = new Set(creations.map(({ values }) => values[name]).filter((id) => id !== undefined && id !== null));
    if (ids.size === 0) continue;
    const rows = await readPrepared(
      context,
      sql`select t."id" from ${raw(target.table)} as t where ${idsAmong([...ids])} and ${allowedRows(target, 'read', context)}${raw(held)}`,
    );
    visible.set(name, new Set(rows.map(({ id }) => id)));
  }
  return (values) => [...visible].every(([name, found]) => (values[name] ?? null) === null || found.has(values[name]));
}
