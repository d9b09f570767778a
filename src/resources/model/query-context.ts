import type { Database } from '../../database/database.ts';
import type { Reader } from '../../database/reader.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Executor } from '../sql/executor.ts';

/** What reads rows for a caller: where statements run, who asks, and when. A write has one that is bound to its transaction. */
export interface QueryContext extends Executor {
  readonly caller: Caller;
  readonly now: number;
}

/** Outside of transactions. */
export const queryContext = (
  { engine, db, read, readFirst, readKeyed, changes }: Database,
  { caller, now }: Pick<QueryContext, 'caller' | 'now'>,
  reader?: Reader,
): QueryContext => ({ engine, db, read, readFirst, readKeyed, changes, reader, caller, now });
