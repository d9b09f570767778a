import type { Tx } from '../../database/database.ts';

/** Unlinks every identity of a user. */
export async function deleteIdentitiesOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute();
}
