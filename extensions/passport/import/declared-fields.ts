import { hash } from 'node:crypto';
import { systemSource } from '../../../src/http/request-source.ts';
import { builtinResources } from '../../../src/main/builtin-resources.ts';
import { createServices } from '../../../src/main/services.ts';
import { systemCaller } from '../../../src/platform/caller.ts';
import { OperatorError, Problem } from '../../../src/platform/errors.ts';
import { recordEvent } from '../../../src/resources/audit/record-event.ts';
import type { ResourceDefinition } from '../../../src/resources/declaration/define-resource.ts';
import type { ResourceCalls } from '../../../src/resources/declaration/resource-calls.ts';
import { compileResources } from '../../../src/resources/model/resource.ts';
import { prepareResources } from '../../../src/resources/prepare-resources.ts';
import { resourceFor } from '../../../src/resources/write/resource-calls.ts';
import { findLegacyIds, type LegacyIdRow, saveLegacyIds } from '../legacy-tokens/legacy-id-store.ts';
import type { SourceRow } from '../source/source.ts';
import { fieldValue } from './field-value.ts';
import type { Pass, UserTable } from './pass.ts';

/** Writes what columns of users become in declared resources: for each user one row that refers to the user. */
export interface DeclaredFields {
  take(table: UserTable, rows: readonly SourceRow[]): Promise<void>;
  close(): Promise<void>;
}

interface Target {
  readonly name: string;
  readonly calls: ResourceCalls;
  /** The field that refers to the user. */
  readonly owner: string;
  /** Columns, with their field and its type. */
  readonly columns: readonly { readonly column: string; readonly field: string; readonly type: string }[];
}

type Values = Record<string, unknown>;

/** How many rows are written at once. */
const atOnce = 8;

export async function openDeclaredFields(pass: Pass): Promise<DeclaredFields | undefined> {
  const { context, plan } = pass;
  const mapped = [...plan.map.fields].filter(([, field]) => field.includes('.'));
  if (mapped.length === 0) return undefined;
  const services = await createServices(context);
  const { keys, enqueuing, proveByPassword, oauth } = services;
  const definitions = await prepareResources(context, builtinResources(context, services));
  const resources = compileResources(definitions);
  const { holdAuthority } = oauth;
  const engine = { context, resources, keys: keys.macKeys, recordEvent, holdAuthority, proveByPassword, enqueuing };
  const resource = resourceFor(engine, { caller: systemCaller, source: systemSource });
  const targets = [...Map.groupBy(mapped, ([, field]) => field.split('.')[0] as string)].map(
    ([name, pairs]): Target => {
      const definition = definitions.find((one) => one.name === name && one.managed);
      if (!definition) throw new OperatorError(`--map: no declared resource is named "${name}".`);
      const columns = pairs.map(([column, target]) => {
        const field = target.split('.')[1] as string;
        const { type } = definition.fields[field] ?? {};
        if (type === undefined) throw new OperatorError(`--map: ${name} declares no field "${field}".`);
        return { column, field, type };
      });
      return { name, calls: resource(name, { as: 'service' }), owner: ownerOf(definition), columns };
    },
  );
  return {
    async take(table, rows) {
      for (const target of targets) await takeRows(pass, table, target, rows);
    },
    close: () => services.endThreads(),
  };
}

function ownerOf({ name, fields }: ResourceDefinition): string {
  const references = Object.keys(fields).filter((field) => {
    const { type, options } = fields[field] as { type: string; options: { target?: unknown } };
    return type === 'reference' && options.target === 'users';
  });
  const owner = references.includes('user_id') ? 'user_id' : references.length === 1 ? references[0] : undefined;
  if (owner !== undefined) return owner;
  throw new OperatorError(`--map: ${name} needs one field that refers to users, such as user_id: reference('users').`);
}

async function takeRows(pass: Pass, table: UserTable, target: Target, rows: readonly SourceRow[]): Promise<void> {
  const columns = target.columns.filter(({ column }) => table.columns.has(column));
  if (columns.length === 0) return;
  const { db } = pass.context.database;
  const ids = rows.map(({ id }) => id as string);
  const origin = `${table.source}.${target.name}`;
  const [users, known] = [await findLegacyIds(db, table.source, ids), await findLegacyIds(db, origin, ids)];
  const seen: LegacyIdRow[] = [];
  for (let i = 0; i < rows.length; i += atOnce) {
    const some = rows.slice(i, i + atOnce).map(async (row) => {
      const [userId, before] = [users.get(row.id as string)?.new_id, known.get(row.id as string)];
      const values = Object.fromEntries(
        columns.map(({ column, field, type }) => [field, fieldValue(type, row[column] ?? null, pass.plan.clock)]),
      );
      const there = print(values);
      if (userId === undefined || before?.fingerprint.split('.')[0] === there) return;
      const written = await write(pass, target, { id: `${table.source} ${row.id}`, userId, before, values });
      const kept = { source: origin, old_id: row.id as string, version: 1, pass: pass.number };
      if (written)
        seen.push({ ...kept, new_id: written.id, fingerprint: `${written.whole ? there : ''}.${written.here}` });
    });
    await Promise.all(some);
  }
  await saveLegacyIds(db, seen);
}

interface Writing {
  /** For the report. */
  readonly id: string;
  readonly userId: string;
  readonly before: LegacyIdRow | undefined;
  readonly values: Values;
}

/** Without the values that the declaration refuses, which the report names. `whole`: there were none. */
async function write(
  pass: Pass,
  { name, calls, owner, columns }: Target,
  { id, userId, before, values }: Writing,
): Promise<{ id: string; here: string; whole: boolean } | undefined> {
  const here = (row: Values) => print(Object.fromEntries(columns.map(({ field }) => [field, row[field] ?? null])));
  const send = async (sent: Values) => {
    if (before) return calls.update(before.new_id, sent);
    const given = Object.entries(sent).filter(([, value]) => value !== null);
    return given.length === 0 ? undefined : calls.create({ ...Object.fromEntries(given), [owner]: userId });
  };
  try {
    if (before && here(await calls.find(before.new_id)) !== before.fingerprint.split('.')[1]) {
      const what = 'Users who were changed there and here since the pass before: they stay as they are here';
      pass.findings.decide('changed-in-both', what, `${id}: ${name}`);
      return undefined;
    }
    const row = await send(values);
    return row && { id: row.id, here: here(row), whole: true };
  } catch (error) {
    // Deleted here.
    if (error instanceof Problem && error.status === 404) return undefined;
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const refused = error.errors?.map(({ field }) => field) ?? [];
    const others = Object.fromEntries(Object.entries(values).filter(([field]) => !refused.includes(field)));
    const what = `Values that ${name} does not take here: they were left out. Correct them there, or change the declaration`;
    const isAccepted = pass.findings.decide('field-values', what, `${id}: ${refused.join(', ') || error.message}`);
    const row = await send(others).catch(() => undefined);
    return row && { id: row.id, here: here(row), whole: isAccepted };
  }
}

const print = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22);
