import type { Tx } from '../../database/database.ts';

/** From now on the second factor is asked for on each of the user's browsers. */
export async function forgetBrowsers(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('remembered_browsers').where('user_id', '=', userId).execute();
}
