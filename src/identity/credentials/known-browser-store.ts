import type { Tx } from '../../database/database.ts';

/** More browsers than a person uses. An attacker with the password must not fill the table with invented browsers. */
const maxBrowsersPerUser = 100;

/** Records a sign-in of a browser. `new`: the browser had not signed in before. `first`: no browser had. */
export async function recordBrowser(
  tx: Tx,
  { userId, fingerprint, now }: { userId: string; fingerprint: string; now: number },
): Promise<{ new: boolean; first: boolean }> {
  const { numUpdatedRows } = await tx
    .updateTable('known_devices')
    .set({ last_seen_at: now })
    .where('user_id', '=', userId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return { new: false, first: false };
  const existing = await tx
    .selectFrom('known_devices')
    .select('fingerprint')
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('known_devices')
    .values({ user_id: userId, fingerprint, first_seen_at: now, last_seen_at: now })
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirstOrThrow();
  const surplus = existing.slice(maxBrowsersPerUser - 1).map((browser) => browser.fingerprint);
  if (surplus.length > 0) {
    const oldest = tx.deleteFrom('known_devices').where('user_id', '=', userId);
    await oldest.where('fingerprint', 'in', surplus).execute();
  }
  return { new: (numInsertedOrUpdatedRows ?? 0n) > 0n, first: existing.length === 0 };
}
