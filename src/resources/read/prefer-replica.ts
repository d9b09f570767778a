import type { Database } from '../../database/database.ts';
import type { Resource } from '../model/resource.ts';
import { allowedRows, type QueryContext } from '../model/row-rules.ts';
import { sqlTrue } from '../sql/sql-text.ts';

/** Reads from a replica with all writes that this caller must see, if there is one. */
export function preferReplica(
  context: QueryContext,
  { replicas }: Database,
  resource: Resource,
  { readsOtherResources }: { readsOtherResources: boolean },
): QueryContext {
  // The position of a list must come from the primary.
  if (resource.changes || !replicas || !context.reader || !resource.definition.managed) return context;
  const hasRowRules = readsOtherResources || allowedRows(resource, 'read', context) !== sqlTrue;
  const replica = replicas.choose(context.reader.caller, hasRowRules);
  if (!replica) return context;
  const { engine, db, reader, caller, now, deleted } = context;
  return { engine, db, reader, caller, now, ...(deleted ? { deleted } : {}), ...replica };
}
