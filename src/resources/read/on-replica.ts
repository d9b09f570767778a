import type { Database } from '../../database/database.ts';
import type { QueryContext } from '../model/query-context.ts';
import type { Resource } from '../model/resource.ts';
import { allowedRows } from '../model/row-rules.ts';
import { truth } from '../sql/sql-text.ts';

/**
 * The same read, on a copy of the database where there is one that has what this caller must see: its own writes, and where rows decide
 * who may see what, those of all others as well. What is read there is remembered nowhere.
 */
export function onReplica(
  context: QueryContext,
  { replicas }: Database,
  resource: Resource,
  { embeds }: { embeds: boolean },
): QueryContext {
  // The position of a list is that of the primary.
  if (resource.changes || !replicas || !context.reader || !resource.definition.managed) return context;
  const ruled = embeds || allowedRows(resource, 'read', context) !== truth;
  const replica = replicas.choose(context.reader.caller, ruled);
  if (!replica) return context;
  const { engine, db, reader, caller, now, deleted } = context;
  return { engine, db, reader, caller, now, ...(deleted ? { deleted } : {}), ...replica };
}
