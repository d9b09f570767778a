import { proofTooOld } from '../../http/gate/require-proof.ts';
import { preconditionFailed } from '../../platform/errors.ts';
import { asProven, demandsOf } from '../declaration/step-up.ts';
import type { QueryContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import { allowedRows, type RowRule, ruleOf } from '../model/row-rules.ts';
import { noSuchRow, versionOf } from '../read/read-rows.ts';
import { wholeColumns } from '../read/row-json.ts';
import { readPrepared, type StoredRow } from '../sql/executor.ts';
import { raw, sql } from '../sql/sql-text.ts';
import { mayNot } from './write-checks.ts';

/** The row that something is to be done with: 404 when the caller may not see it, 403 when it may but not do this. */
export async function allowedRow(
  context: QueryContext,
  resource: Resource,
  id: string,
  operation: RowRule,
  { lock = false } = {},
): Promise<StoredRow> {
  if (resource.idType.check(id, {})) throw noSuchRow(resource);
  const [row] = await readPrepared(
    context,
    sql`select ${raw(wholeColumns(resource))}, case when ${allowedRows(resource, operation, context)} then 1 else 0 end as "_allowed" from ${raw(resource.table)} as t where t."id" = ${id} and ${allowedRows(resource, 'read', context)}${raw(lock && context.engine === 'postgres' ? ' for update of t' : '')}`,
  );
  if (row?._allowed !== 1) await askForProof(context, resource, id, operation);
  if (!row) throw noSuchRow(resource);
  if (row._allowed !== 1) throw mayNot(resource, operation);
  return row;
}

/** Throws the step-up, where the caller could do this after one. Only `anyOf` leads here: other rules throw by themselves. */
async function askForProof(context: QueryContext, resource: Resource, id: string, operation: RowRule): Promise<void> {
  const [demand] = [operation, 'read' as const].flatMap((rule) => demandsOf([ruleOf(resource, rule)]));
  if (!demand || context.caller.kind === 'anonymous') return;
  const proven = { ...context, caller: asProven(context.caller, context.now) };
  const rows = await readPrepared(
    context,
    sql`select 1 as one from ${raw(resource.table)} as t where t."id" = ${id} and ${allowedRows(resource, operation, proven)} and ${allowedRows(resource, 'read', proven)}`,
  );
  if (rows.length > 0) throw proofTooOld(context.caller.proof, demand);
}

/** The row as it is, locked: 404 or 403 where the caller may not do this with it, 412 when it moved on. */
export async function lockRow(
  context: QueryContext,
  resource: Resource,
  id: string,
  operation: RowRule,
  ifMatch: string | undefined,
): Promise<StoredRow> {
  const row = await allowedRow(context, resource, id, operation, { lock: true });
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
