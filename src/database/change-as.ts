import type { Caller, RequiredScope } from '../platform/caller.ts';
import { conflictingChange, isRetryableConflict, reasonOf } from '../platform/errors.ts';
import { getOrCreate } from '../platform/get-or-create.ts';
import { createKeyedSemaphore, type KeyedSemaphore } from '../platform/keyed-semaphore.ts';
import { commitAndInvalidate, type Invalidate } from './bus.ts';
import type { Database, Db, Tx } from './database.ts';

export interface WriteAuthority {
  readonly caller: Caller;
  readonly scope?: RequiredScope | undefined;
  /** The write may change users, clients or sessions. Then it locks those of the caller in exclusive mode from the start. */
  readonly changesAccounts?: boolean;
  /** The change log may record the write, with the caller as its author. */
  readonly recorded?: boolean;
  readonly userId?: string | undefined;
  readonly accountId?: string | undefined;
}

/**
 * Checks inside the transaction whether the caller may still act, and locks its session, user and client. Returns the current
 * caller, or throws 401 or 403.
 */
export type LockAuthority = (tx: Tx, authority: WriteAuthority) => Promise<Caller>;

const maxAttempts = 4;
const retryDelayMs = 50;

const changesInTurn = new WeakMap<Db, KeyedSemaphore>();

const inTurn = ({ db }: Pick<Database, 'db'>): KeyedSemaphore =>
  getOrCreate(changesInTurn, db, () =>
    createKeyedSemaphore({
      concurrency: 1,
      maxWaiting: 200,
      timeoutMs: 10_000,
      message: 'Too many changes of one account at once. Try again shortly.',
    }),
  );

/**
 * `commitAndInvalidate` on behalf of a caller. Every write of a request goes through this function. The transaction locks the caller's
 * authority until the commit. After a deadlock it runs again, so `work` must keep no state of a failed attempt.
 *
 * On PostgreSQL, changes of one account run one at a time. They lock its user, so the others would occupy the connections that other callers
 * need, only to wait.
 */
export async function changeAs<T>(
  database: Pick<Database, 'engine' | 'db' | 'bus'>,
  lockAuthority: LockAuthority,
  authority: WriteAuthority,
  work: (tx: Tx, invalidate: Invalidate, caller: Caller) => Promise<T>,
): Promise<T> {
  const { caller, changesAccounts } = authority;
  const account = changesAccounts && database.engine === 'postgres' ? (caller.userId ?? caller.clientId) : null;
  const start = account === null ? undefined : (run: () => Promise<T>) => inTurn(database)(account, run);
  for (let attempt = 1; ; attempt++) {
    try {
      return await commitAndInvalidate(
        database,
        async (tx, invalidate) => work(tx, invalidate, await lockAuthority(tx, authority)),
        start,
      );
    } catch (error) {
      if (!isRetryableConflict(error)) throw error;
      if (attempt === maxAttempts) throw conflictingChange(reasonOf(error));
      // A random delay, so that the same transactions do not meet again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * attempt * retryDelayMs));
    }
  }
}
