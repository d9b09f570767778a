import type { Tx } from '../../database/database.ts';
import { forgetMailTo } from '../mail/mail.ts';

export async function findClientIdsOf(tx: Tx, userId: string): Promise<string[]> {
  const clients = await tx.selectFrom('clients').select('id').where('user_id', '=', userId).execute();
  return clients.map(({ id }) => id);
}

/** Removes the remaining personal data of a deleted user, and queued mail to the user. */
export async function forgetUser(tx: Tx, userId: string, email: string | null): Promise<void> {
  await tx.updateTable('events').set({ address: null, user_agent: null }).where('user_id', '=', userId).execute();
  await tx
    .updateTable('events')
    .set({ data: '{}' })
    .where('user_id', '=', userId)
    .where((or) => or.or([or('type', 'like', 'user.%'), or('type', 'like', 'email.%')]))
    .execute();
  if (email === null) return;
  await forgetMailTo(tx, email);
}
