import type { Context } from '../context.ts';
import { networkOf } from '../http/network-of.ts';
import { countOnce, forgetCount, giveBackOne } from './throttle-store.ts';

const windowMs = 15 * 60_000;
export const failuresPerAccount = 10;
export const failuresPerAddress = 100;

/** What one attempt counts against. */
export interface ThrottleKeys {
  readonly account: string;
  readonly address: string;
}

export interface Refusal {
  readonly retryAfterSeconds: number;
  /** Which limit was passed; the address where both were. */
  readonly of: 'account' | 'address';
  /** True for the first refusal of a window alone, so that the trail can name it once. */
  readonly first: boolean;
}

/** `account` is a user's id, or the fingerprint of a login that nobody has. */
export const throttleKeys = (purpose: string, account: string, address: string | null): ThrottleKeys => ({
  account: `${purpose}:account:${account}`,
  address: `${purpose}:address:${networkOf(address ?? 'unknown')}`,
});

/**
 * Counts an attempt before its password is looked at, so that a hundred guesses at once count as a hundred. Returns the
 * refusal when one of the limits is passed; it is the caller's to throw, after the count is kept.
 */
export async function countAttempt(
  { database, now }: Context,
  keys: ThrottleKeys,
  limits = { account: failuresPerAccount, address: failuresPerAddress },
): Promise<Refusal | undefined> {
  const time = now();
  // Account first, always: see countOnce.
  const counts = await countOnce(database.db, [keys.account, keys.address], time, windowMs);
  const passed = counts
    .map((row) => ({ ...row, limit: row.key === keys.account ? limits.account : limits.address }))
    .filter(({ count, limit }) => count > limit);
  if (passed.length === 0) return undefined;
  return {
    retryAfterSeconds: Math.max(...passed.map(({ expires_at }) => (expires_at - time) / 1000)),
    of: passed.some(({ key }) => key === keys.address) ? 'address' : 'account',
    first: passed.some(({ count, limit }) => count === limit + 1),
  };
}

/** Nobody looked at the password, so it was no failure. */
export async function giveBackAttempt({ database }: Context, keys: ThrottleKeys): Promise<void> {
  await Promise.all([giveBackOne(database.db, keys.account), giveBackOne(database.db, keys.address)]);
}

/** The password was right: the account starts anew, and the address has one failure less. */
export async function forgiveAttempt({ database }: Context, keys: ThrottleKeys): Promise<void> {
  await Promise.all([forgetCount(database.db, keys.account), giveBackOne(database.db, keys.address)]);
}
