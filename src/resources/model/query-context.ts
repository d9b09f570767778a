import type { Database } from '../../database/database.ts';
import type { Reader } from '../../database/reader.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Executor } from '../sql/executor.ts';
import type { Resource } from './resource.ts';

export type DeletedFilter = 'only' | 'with';

export interface DeletedRows {
  readonly resource: Resource;
  readonly filter: DeletedFilter;
}

/** The context of a read: where statements run, the caller and the time. The context of a write uses its transaction. */
export interface QueryContext extends Executor {
  readonly caller: Caller;
  readonly now: number;
  /** The request asks for deleted rows of this resource. */
  readonly deleted?: DeletedRows;
}

export type RuleContext = Pick<QueryContext, 'engine' | 'caller' | 'now' | 'deleted'>;

export const queryContext = (
  { engine, db, read, readFirst, readKeyed, changes, revision }: Database,
  { caller, now }: Pick<QueryContext, 'caller' | 'now'>,
  reader?: Reader,
): QueryContext => ({ engine, db, read, readFirst, readKeyed, changes, revision, reader, caller, now });

export const withDeletedRows = (
  context: QueryContext,
  resource: Resource,
  { deleted: filter }: { readonly deleted?: DeletedFilter | undefined },
): QueryContext => (filter ? { ...context, deleted: { resource, filter } } : context);
