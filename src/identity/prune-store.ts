import type { Context } from '../database/context.ts';
import { pruneBefore, pruneInBatches } from '../database/prune-in-batches.ts';
import { deleteOldThrottles } from './throttle/throttle-store.ts';

const browserRetentionMs = 400 * 86_400_000;

/** Rows of these tables have no meaning after `expires_at`. */
const expiringTables = ['one_time_tokens', 'email_codes', 'remembered_browsers', 'spent_values'] as const;

/** Removes expired counts, links and email changes, and unused known browsers. Other requests run in between. */
export async function pruneSignInData(context: Context): Promise<void> {
  const { database, now } = context;
  const { db } = database;
  await pruneInBatches(context, (limit) => deleteOldThrottles(db, now(), limit));
  for (const table of expiringTables) await pruneBefore(context, table, 'expires_at', now());
  await pruneBefore(context, 'email_changes', 'undo_until', now());
  await db
    .deleteFrom('known_devices')
    .where('last_seen_at', '<', now() - browserRetentionMs)
    .execute();
}
