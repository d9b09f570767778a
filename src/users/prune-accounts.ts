import type { Context } from '../context.ts';
import { pruneOneTimeTokens } from './one-time-token-store.ts';
import { pruneThrottles } from './throttle-store.ts';

/** Removes counts and links whose time is over. */
export async function pruneAccounts({ database, now }: Context): Promise<void> {
  await pruneThrottles(database.db, now());
  await pruneOneTimeTokens(database.db, now());
}
