import { hash } from 'node:crypto';
import type { Tx } from '../../../../src/database/database.ts';
import { systemSource } from '../../../../src/http/request-source.ts';
import { builtinResources } from '../../../../src/main/builtin-resources.ts';
import { aggregateRows } from '../../../../src/main/open-aggregates.ts';
import { openMigrations } from '../../../../src/main/open-migrations.ts';
import { prepareResources } from '../../../../src/main/prepare-resources.ts';
import { createServices } from '../../../../src/main/services.ts';
import { systemCaller } from '../../../../src/platform/caller.ts';
import { OperatorError, Problem } from '../../../../src/platform/errors.ts';
import type { ResourceDefinition } from '../../../../src/resources/declaration/define-resource.ts';
import type { ResourceCalls } from '../../../../src/resources/declaration/resource-calls.ts';
import { compileResources, type Resource } from '../../../../src/resources/model/resource.ts';
import { createCall, resourceFor } from '../../../../src/resources/write/resource-calls.ts';
import { inTransaction } from '../../../../src/resources/write/write-transaction.ts';
import { findLegacyIds, type LegacyIdRow, saveLegacyIds } from '../../legacy-tokens/legacy-id-store.ts';
import type { SourceRow } from '../../source/source.ts';
import type { WallClock } from '../../source/wall-clock.ts';
import { isTrue, type Pass, type UserTable } from '../pass.ts';

/** Imports columns of users into declared resources: one row per user. */
export interface DeclaredFields {
  take(table: UserTable, rows: readonly SourceRow<'id'>[]): Promise<void>;
  close(): Promise<void>;
}

interface Target {
  readonly name: string;
  readonly calls: ResourceCalls;
  /** Writes a row and its import record in one transaction, so that an interrupted pass does not create the row twice. */
  inOne(work: (calls: ResourceCalls, tx: Tx) => Promise<void>): Promise<void>;
  /** The field that refers to the user. */
  readonly owner: string;
  /** Columns with their target field and its type. */
  readonly columns: readonly { readonly column: string; readonly field: string; readonly type: string }[];
}

type Values = Record<string, unknown>;

/** The number of concurrent writes. */
const concurrency = 8;

export async function openDeclaredFields(pass: Pass): Promise<DeclaredFields | undefined> {
  const { context, plan } = pass;
  const mapped = [...plan.map.fields].filter(([, field]) => field.includes('.'));
  if (mapped.length === 0) return undefined;
  const services = await createServices(context);
  const { keys, enqueuing, proveByPassword, oauth } = services;
  const definitions = await prepareResources(
    context,
    await builtinResources(context, services),
    await openMigrations(context),
  );
  const resources = compileResources(definitions);
  const { lockAuthority } = oauth;
  const engine = { context, resources, keys: keys.macKeys, lockAuthority, proveByPassword, enqueuing, aggregateRows };
  const callSource = { caller: systemCaller, source: systemSource };
  const resource = resourceFor(engine, callSource);
  const targets = [...Map.groupBy(mapped, ([, field]) => field.split('.')[0] ?? '')].map(([name, pairs]): Target => {
    const definition = definitions.find((candidate) => candidate.name === name && candidate.managed);
    if (!definition) throw new OperatorError(`--map: no declared resource is named "${name}".`);
    const columns = pairs.map(([column, target]) => {
      const field = target.split('.')[1] ?? '';
      const { type } = definition.fields[field] ?? {};
      if (type === undefined) throw new OperatorError(`--map: ${name} declares no field "${field}".`);
      return { column, field, type };
    });
    const inOne: Target['inOne'] = (work) =>
      inTransaction(
        engine,
        resources.get(name) as Resource,
        createCall(engine, callSource),
        { scope: undefined },
        (write) => work(resourceFor(engine, callSource, write)(name, { as: 'service' }), write.call.tx),
      );
    return { name, calls: resource(name, { as: 'service' }), inOne, owner: ownerOf(definition), columns };
  });
  return {
    async take(table, rows) {
      for (const target of targets) await takeRows(pass, table, target, rows);
    },
    close: () => services.endThreads(),
  };
}

function ownerOf({ name, fields }: ResourceDefinition): string {
  const references = Object.entries(fields).flatMap(([field, { type, options }]) =>
    type === 'reference' && options.target === 'users' ? [field] : [],
  );
  const owner = references.includes('user_id') ? 'user_id' : references.length === 1 ? references[0] : undefined;
  if (owner !== undefined) return owner;
  throw new OperatorError(`--map: ${name} needs one field that refers to users, such as user_id: reference('users').`);
}

async function takeRows(pass: Pass, table: UserTable, target: Target, rows: readonly SourceRow<'id'>[]): Promise<void> {
  const columns = target.columns.filter(({ column }) => table.columns.has(column));
  if (columns.length === 0) return;
  const { db } = pass.context.database;
  const ids = rows.map(({ id }) => id);
  const origin = `${table.source}.${target.name}`;
  const [users, legacyIds] = [await findLegacyIds(db, table.source, ids), await findLegacyIds(db, origin, ids)];
  for (let i = 0; i < rows.length; i += concurrency) {
    const some = rows.slice(i, i + concurrency).map(async (row) => {
      const oldId = row.id;
      const [userId, before] = [users.get(oldId)?.new_id, legacyIds.get(oldId)];
      const values = Object.fromEntries(
        columns.map(({ column, field, type }) => [field, fieldValue(type, row[column] ?? null, pass.plan.clock)]),
      );
      if (userId === undefined || before?.fingerprint.split('.')[0] === print(values)) return;
      await write(pass, target, { oldRow: `${table.source} ${oldId}`, origin, oldId, userId, before, values });
    });
    await Promise.all(some);
  }
}

interface Writing {
  /** For the report. */
  readonly oldRow: string;
  readonly origin: string;
  readonly oldId: string;
  readonly userId: string;
  readonly before: LegacyIdRow | undefined;
  readonly values: Values;
}

/** Omits values that the declaration refuses. The report names them. */
async function write(pass: Pass, target: Target, { oldRow, origin, oldId, userId, before, values }: Writing) {
  const { name, calls, owner, columns } = target;
  const fingerprintOfRow = (row: Values) =>
    print(Object.fromEntries(columns.map(({ field }) => [field, row[field] ?? null])));
  const send = async (newValues: Values, isWhole: boolean) => {
    const body = before
      ? newValues
      : Object.fromEntries(Object.entries(newValues).filter(([, value]) => value !== null));
    if (Object.keys(body).length === 0) return;
    await target.inOne(async (inside, tx) => {
      const row = await (before ? inside.update(before.new_id, body) : inside.create({ ...body, [owner]: userId }));
      const fingerprint = `${isWhole ? print(values) : ''}.${fingerprintOfRow(row)}`;
      const legacyId = { source: origin, old_id: oldId, new_id: row.id, fingerprint, version: 1, pass: pass.number };
      await saveLegacyIds(tx, [legacyId]);
    });
    pass.findings.addNote(`Rows of ${name} that were written`);
  };
  try {
    if (before && fingerprintOfRow(await calls.find(before.new_id)) !== before.fingerprint.split('.')[1]) {
      const both = 'Users who were changed in both services since the previous pass: Gatehouse keeps its own version';
      pass.findings.decide('changed-in-both', both, `${oldRow}: ${name}`);
      return;
    }
    await send(values, true);
  } catch (error) {
    // The row was deleted here.
    if (error instanceof Problem && error.status === 404) return;
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const refused = error.errors?.map(({ field }) => field) ?? [];
    const acceptedValues = Object.fromEntries(Object.entries(values).filter(([field]) => !refused.includes(field)));
    const description = `Values that ${name} does not accept: they were omitted. Correct them in the old service, or change the declaration`;
    const isAccepted = pass.findings.decide(
      'field-values',
      description,
      `${oldRow}: ${refused.join(', ') || error.message}`,
    );
    if (refused.length > 0) await send(acceptedValues, isAccepted).catch(ignoreRefusal);
  }
}

/** The value was rejected before, and the report names it. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
}

const print = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);

/** The text of a column as a value of this field type. Empty values and invalid dates become null. */
function fieldValue(type: string, text: string | null, clock: WallClock): unknown {
  if (text === null || text === '') return null;
  if (type === 'boolean') return isTrue(text);
  if (type === 'integer' || type === 'number') return Number(text);
  if (type === 'date') return text.startsWith('0000-') ? null : text.slice(0, 10);
  if (type === 'timestamp') {
    const at = clock.read(text);
    return at === null ? null : new Date(at).toISOString();
  }
  return type === 'json' || type === 'list' ? readJson(text) : text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
