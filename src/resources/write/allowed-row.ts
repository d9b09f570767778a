import { proofTooOld } from '../../http/gate/require-proof.ts';
import { preconditionFailed } from '../../platform/errors.ts';
import { stepUpRequirements, withFullProof } from '../declaration/step-up.ts';
import type { Resource } from '../model/resource.ts';
import { allowedRows, type QueryContext, type RowRule, ruleOf } from '../model/row-rules.ts';
import { isRow, rowNotFound, versionOf } from '../read/read-rows.ts';
import { wholeColumns } from '../read/row-json.ts';
import { readPrepared, type StoredRow } from '../sql/executor.ts';
import { and, raw, sql } from '../sql/sql-text.ts';
import { operationForbidden } from './write-checks.ts';

/** The row of an operation. Responds 404 if the caller may not see it, and 403 if the caller may see it but not do this. */
export async function allowedRow(
  context: QueryContext,
  resource: Resource,
  id: string,
  operation: RowRule,
  { lock = false } = {},
): Promise<StoredRow> {
  if (resource.idType.check(id, {})) throw rowNotFound(resource);
  const [row] = await readPrepared(
    context,
    sql`select ${raw(wholeColumns(resource))}, case when ${allowedRows(resource, operation, context)} then 1 else 0 end as "_allowed" from ${raw(resource.table)} as t where t."id" = ${id} and ${allowedRows(resource, 'read', context)}${raw(lock && context.engine === 'postgres' ? ' for update of t' : '')}`,
  );
  if (row?._allowed !== 1) await rejectIfStepUpAllows(context, resource, id, operation);
  if (!row) throw rowNotFound(resource);
  if (row._allowed !== 1) throw operationForbidden(resource, operation);
  return row;
}

/**
 * Throws the step-up error if the caller could do this after a step-up. Only `anyOf` needs this: other rules throw the error themselves.
 */
async function rejectIfStepUpAllows(context: QueryContext, resource: Resource, id: string, operation: RowRule) {
  const [requirement] = [operation, 'read' as const].flatMap((rule) => stepUpRequirements([ruleOf(resource, rule)]));
  if (!requirement || context.caller.kind === 'anonymous') return;
  const provenContext = { ...context, caller: withFullProof(context.caller, context.now) };
  const allowed = and([allowedRows(resource, operation, provenContext), allowedRows(resource, 'read', provenContext)]);
  if (await isRow(context, resource, id, allowed)) throw proofTooOld(context.caller.proof, requirement);
}

/** Reads and locks the row. Responds 404 or 403 if the caller may not do this, and 412 if the row has changed. */
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

/** RFC 9110 13.1.1: strong comparison, including lists and `*`. Only the version in our ETags is compared. */
function matchesVersion(header: string, resource: Resource, row: StoredRow): boolean {
  if (header.trim() === '*') return true;
  const tagPrefix = `"${versionOf(resource, row)}-`;
  return resource.versioned && header.split(',').some((tag) => tag.trim().startsWith(tagPrefix));
}
