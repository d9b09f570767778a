import type { Context } from '../database/context.ts';
import { pruneOneTimeTokens } from './account-mails/one-time-token-store.ts';
import { pruneEmailChanges } from './accounts/email-change-store.ts';
import { pruneKnownBrowsers } from './credentials/known-browser-store.ts';
import { pruneEmailCodes } from './factors/email-code-store.ts';
import { pruneBrowsers } from './factors/remembered-browser-store.ts';
import { pruneSpentValues } from './factors/spent-value-store.ts';
import { pruneAttempts } from './providers/attempt-store.ts';
import { deleteOldThrottles } from './throttle/throttle-store.ts';

/** Small enough that a request which waits for the batch notices nothing. */
const batch = 200;
const browsersKept = 400 * 86_400_000;

/** Removes counts, links and changes of email whose time is over, and known browsers that nobody uses; other requests run between. */
export async function pruneAccounts({ database: { db, engine }, now }: Context): Promise<void> {
  while ((await deleteOldThrottles(db, engine, now(), batch)) === batch) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await pruneOneTimeTokens(db, now());
  await pruneEmailCodes(db, now());
  await pruneBrowsers(db, now());
  await pruneSpentValues(db, now());
  await pruneAttempts(db, now());
  await pruneEmailChanges(db, now());
  await pruneKnownBrowsers(db, now() - browsersKept);
}
