import type { Config } from '../../config/config.ts';
import type { Tx } from '../../database/database.ts';
import { deleteQueuedMail } from '../mail/mail.ts';

export async function findClientIdsOf(tx: Tx, userId: string): Promise<string[]> {
  const clients = await tx.selectFrom('clients').select('id').where('user_id', '=', userId).execute();
  return clients.map(({ id }) => id);
}

/** Removes the remaining personal data of a deleted user, and queued mail to this user. */
export async function deleteUserData(tx: Tx, userId: string, email: string | null): Promise<void> {
  await tx.updateTable('events').set({ address: null, user_agent: null }).where('user_id', '=', userId).execute();
  await tx
    .updateTable('events')
    .set({ data: '{}' })
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('type', 'like', 'user.%'), eb('type', 'like', 'email.%')]))
    .execute();
  if (email === null) return;
  await deleteQueuedMail(tx, email);
}

type UserTable = 'identities' | 'passkeys' | 'authenticators' | 'recovery_codes' | 'remembered_browsers';

/** Deletes the rows of a user in these tables. Without its row, a remembered browser asks for the second factor again. */
export async function deleteRowsOf(tx: Tx, userId: string, ...tables: UserTable[]): Promise<void> {
  for (const table of tables) await tx.deleteFrom(table).where('user_id', '=', userId).execute();
}

/** Deletes passkeys that are not second factors: automatic passkeys, or all passkeys with MFA=off. */
export async function deleteNonFactorPasskeys(tx: Tx, userId: string, { mfa }: Pick<Config, 'mfa'>): Promise<void> {
  const ofUser = tx.deleteFrom('passkeys').where('user_id', '=', userId);
  await (mfa === 'off' ? ofUser : ofUser.where('automatic', '=', 1)).execute();
}
