import { AsyncResource } from 'node:async_hooks';
import type { Engine } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { Batcher } from '../../platform/batcher.ts';
import type { Caller } from '../../platform/caller.ts';
import { codeOf, Problem } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';
import { tracing } from '../../platform/tracing.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';
import { allowedRows } from '../model/row-rules.ts';
import { wholeColumns, wholeRow } from '../read/row-json.ts';
import { readPrepared, type StoredRow, writePrepared } from '../sql/executor.ts';
import { type Fragment, quoted, raw, sql, sqlFalse, sqlTrue } from '../sql/sql-text.ts';
import type { Values } from './read-input.ts';
import { operationForbidden, recordWrite, referencesOf } from './write-checks.ts';
import { insertRow, newRow } from './write-row.ts';
import { inTransaction, type WriteContext } from './write-transaction.ts';

interface Creation {
  readonly call: Call;
  readonly values: Values;
}

interface WaitingCreation extends Creation {
  /** Creates the row in a separate transaction. */
  insert(): Promise<StoredRow>;
}

/** On SQLite, other requests wait while a batch is written. So it has fewer rows. */
const maxRows: Record<Engine, number> = { sqlite: 8, postgres: 100 };
const maxTransactions = 2;
/** More rows would only wait. */
export const maxConcurrentRows: Record<Engine, number> = {
  sqlite: maxTransactions * maxRows.sqlite,
  postgres: maxTransactions * maxRows.postgres,
};
/**
 * If the transaction waits longer for a lock, it is undone. Each row is then created in a separate transaction, and no row waits for
 * another.
 */
const lockTimeoutMs = 100;

/** Long enough for a busy machine. If later rows did not wait, each would be created alone, which would increase the load further. */
const expectedMs = 200;

/** Returns undefined for a row that could not be created with the others. */
type CreateBatcher = Batcher<WaitingCreation, StoredRow | undefined>;

const batchers = new WeakMap<Resource, Map<Caller, CreateBatcher>>();

/** Whether rows of this resource can be created together. A row with hooks needs a separate transaction. */
export const canBatchCreate = ({ definition: { managed, create, hooks }, changesAccounts }: Resource): boolean =>
  managed && !create && !hooks && !changesAccounts;

/**
 * Rows that one caller creates at the same time share a transaction. It checks the caller's rights once. If a row cannot be created with the
 * others, it is created alone and gets the usual response. Rows of two callers never share a transaction, so no caller waits for another.
 */
export async function batchCreate(
  services: ResourceServices,
  resource: Resource,
  { call, values }: Creation,
): Promise<StoredRow> {
  const { engine } = services.context.database;
  const byCaller = getOrCreate(batchers, resource, () => new Map());
  const batcher = getOrCreate(byCaller, call.caller, (): CreateBatcher => {
    const limits = { concurrency: maxTransactions, maxItems: maxRows[engine], expectedMs };
    return new Batcher(limits, async (waiting) => {
      const [first, second] = waiting;
      return first && !second ? [await first.insert()] : insertAll(services, resource, waiting);
    });
  });
  const insert = () =>
    inTransaction(services, resource, call, { scope: resource.writeScope }, (context) =>
      insertRow(context, resource, { ...values }),
    );
  try {
    // Another request may run it. `bind` keeps its statements in the trace of this request.
    return (
      (await batcher.add({ call, values, insert: tracing() ? AsyncResource.bind(insert) : insert })) ?? (await insert())
    );
  } finally {
    if (batcher.isIdle && byCaller.get(call.caller) === batcher) byCaller.delete(call.caller);
  }
}

/** The stored rows. Undefined for rows that have to be created alone. */
async function insertAll(services: ResourceServices, resource: Resource, creations: readonly Creation[]) {
  const [first] = creations;
  if (!first) return [];
  const { call } = first;
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
    if (mayBeCommitted && !isCommitRejected(error)) throw error;
    // Each row would wait as long for the same error.
    if (error instanceof Problem && (error.status === 401 || error.status === 503)) throw error;
    return [];
  }
}

/** PostgreSQL responded that it did not commit, because of a deferred constraint or a trigger. */
const isCommitRejected = (error: unknown): boolean => /^(23|P0)...$/.test(codeOf(error) ?? '');

async function insertRows(context: WriteContext, resource: Resource, creations: readonly Creation[]) {
  const rule = allowedRows(resource, 'create', context);
  if (rule === sqlFalse) throw operationForbidden(resource, 'create');
  if (context.engine === 'sqlite') return insertOneByOne(context, resource, creations);
  await writePrepared(context, sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`);
  const hasVisibleReferences = await visibleReferences(context, resource, creations);
  const ids = creations.map(({ call }) => uuidv7(call.now));
  const stored = creations.flatMap(({ call, values }, i) =>
    hasVisibleReferences(values) ? [newRow(resource, ids[i] as string, values, call.now)] : [],
  );
  if (stored.length === 0) return [];
  const inserted = await insertStatement(context, resource, stored);
  if (rule !== sqlTrue) await requireRuleOfAll(context, resource, inserted, rule);
  const byId = new Map(inserted.map((row) => [row.id, row]));
  const rows = ids.map((id) => byId.get(id));
  for (const [i, { call }] of creations.entries()) {
    const row = rows[i];
    if (!row || !resource.definition.events) continue;
    const rowContext = { ...context, call: { ...context.call, source: call.source } };
    await recordWrite(rowContext, resource, 'created', { id: row.id, after: wholeRow(resource, row) });
  }
  return rows;
}

async function insertOneByOne(context: WriteContext, resource: Resource, creations: readonly Creation[]) {
  const rows: (StoredRow | undefined)[] = [];
  for (const { call, values } of creations) {
    const rowContext = { ...context, now: call.now, call: { ...context.call, now: call.now, source: call.source } };
    rows.push(await insertRow(rowContext, resource, { ...values }).catch(undefinedIfUnprocessable));
  }
  return rows;
}

/** A row that is rejected with 422 has not been inserted. It is created alone and gets its own response. */
function undefinedIfUnprocessable(error: unknown): undefined {
  if (!(error instanceof Problem && error.status === 422)) throw error;
}

/** Skips a row if another row has the same unique value. */
function insertStatement(context: WriteContext, resource: Resource, stored: readonly Map<string, unknown>[]) {
  const columns = raw([...(stored[0]?.keys() ?? [])].map(quoted).join(', '));
  const table = raw(resource.table);
  const json = JSON.stringify(stored.map((row) => Object.fromEntries(row)));
  return writePrepared(
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
  creations: readonly Creation[],
): Promise<(values: Values) => boolean> {
  const visible = new Map<string, ReadonlySet<unknown>>();
  for (const { name, target, lockClause } of referencesOf(context, resource)) {
    const ids = new Set(creations.map(({ values }) => values[name]).filter((id) => id !== undefined && id !== null));
    if (ids.size === 0) continue;
    const rows = await readPrepared(
      context,
      sql`select t."id" from ${raw(target.table)} as t where ${idsAmong([...ids])} and ${allowedRows(target, 'read', context)}${raw(lockClause)}`,
    );
    visible.set(name, new Set(rows.map(({ id }) => id)));
  }
  return (values) =>
    [...visible].every(([name, visibleIds]) => (values[name] ?? null) === null || visibleIds.has(values[name]));
}
