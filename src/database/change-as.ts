import type { Caller } from '../platform/caller.ts';
import { codeOf, unavailable } from '../platform/errors.ts';
import { type Bus, commitAndInvalidate, type Invalidate } from './bus.ts';
import type { Db, Tx } from './database.ts';

/** A change on behalf of a caller. */
export interface Act {
  readonly caller: Caller;
  /** The scope that it takes. */
  readonly scope?: string | undefined;
  /** It may change users, clients or sessions: the caller's own are then held against every other change from the start. */
  readonly ofAccounts?: boolean;
  /** The log of changes may record the write, with the caller as its author. */
  readonly recorded?: boolean;
  /** The user that it is to change. */
  readonly userId?: string | undefined;
  /** The client or session that it is to change. */
  readonly accountId?: string | undefined;
}

/**
 * Reads inside the transaction whether the caller may still act, and as what: the session, the user and the client stay
 * as they are until it ends. Returns the caller as it is now, or throws the 401 or 403 that says why not.
 */
export type HoldAuthority = (tx: Tx, act: Act) => Promise<Caller>;

const attempts = 4;
const retryDelayMs = 50;

/** SQLSTATE: a deadlock was broken here, or a transaction could not be brought into an order with others. */
const wasBroken = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error) ?? '');

/**
 * `commitAndInvalidate` for what a caller asks for: the one way in which a request writes. Nobody revokes the caller's authority
 * between its check and the commit, because the transaction holds it. PostgreSQL ends one of two transactions that wait
 * for each other: that one is run again, so `work` must keep nothing of an attempt that failed.
 */
export async function changeAs<T>(
  database: { db: Db; bus: Bus },
  hold: HoldAuthority,
  act: Act,
  work: (tx: Tx, invalidate: Invalidate, caller: Caller) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await commitAndInvalidate(database, async (tx, invalidate) => work(tx, invalidate, await hold(tx, act)));
    } catch (error) {
      if (!wasBroken(error)) throw error;
      if (attempt === attempts) {
        throw unavailable('Others are changing the same at the moment. Try again.', 1, 'deadlock');
      }
      // Those who met must not meet again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * attempt * retryDelayMs));
    }
  }
}
