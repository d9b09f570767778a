import type { Context } from '../../database/context.ts';
import type { Profile } from '../accounts/user-fields.ts';
import { accountKey, identifierKey, readCounts } from '../throttle/throttle-store.ts';
import { mostFailures } from './check-credentials.ts';

/** Until when strangers to the account's browsers are refused; undefined where nobody is. */
export async function lockedUntil(
  { database, now }: Context,
  { id, email, username, phone }: Profile & { readonly id: string },
): Promise<number | undefined> {
  const identifiers = [email, username, phone].filter((value) => value !== null);
  const counts = await readCounts(database.db, [accountKey(id), ...identifiers.map(identifierKey)], now());
  const full = counts.filter(({ count }) => count >= mostFailures.account);
  return full.length === 0 ? undefined : Math.max(...full.map((row) => row.expires_at));
}
