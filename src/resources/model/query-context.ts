import type { Database } from '../../database/database.ts';
import type { Reader } from '../../database/reader.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Executor } from '../sql/executor.ts';
import type { Resource } from './resource.ts';

export type WhichDeleted = 'only' | 'with';

export interface DeletedRows {
  readonly of: Resource;
  readonly which: WhichDeleted;
}

/** What reads rows for a caller: where statements run, who asks, and when. A write has one that is bound to its transaction. */
export interface QueryContext extends Executor {
  readonly caller: Caller;
  readonly now: number;
  /** Deleted rows of this resource are asked for. Nobody else sees them. */
  readonly deleted?: DeletedRows;
}

/** What rules need to become SQL. */
export type RuleContext = Pick<QueryContext, 'engine' | 'caller' | 'now' | 'deleted'>;

/** Outside of transactions. */
export const queryContext = (
  { engine, db, read, readFirst, readKeyed, changes }: Database,
  { caller, now }: Pick<QueryContext, 'caller' | 'now'>,
  reader?: Reader,
): QueryContext => ({ engine, db, read, readFirst, readKeyed, changes, reader, caller, now });

/** The same, where deleted rows are asked for. */
export const askingFor = (
  context: QueryContext,
  of: Resource,
  { deleted: which }: { readonly deleted?: WhichDeleted | undefined },
): QueryContext => (which ? { ...context, deleted: { of, which } } : context);
