import type { Context } from '../../context.ts';
import type { Tx } from '../../database/database.ts';
import type { Mail } from '../../mail/mail.ts';
import { countOnce } from '../credentials/throttle-store.ts';
import { findUser } from './user-store.ts';

const windowMs = 15 * 60_000;
/** A confirmed address gets all but a flood; one that may be a stranger's gets a few. */
const mailsTo = { confirmed: 100, unconfirmed: 5 };

/** Writes to the owner of an account when the transaction commits. Nothing that somebody chose a name for is named. */
export async function tellOwner(
  { now }: Pick<Context, 'now'>,
  mail: Mail,
  tx: Tx,
  {
    userId,
    template,
    data,
  }: { userId: string; template: 'new-access' | 'new-login'; data: Readonly<Record<string, string | null>> },
): Promise<void> {
  const user = await findUser(tx, userId);
  if (!user?.email) return;
  const [counted] = await countOnce(tx, [`${template}:user:${userId}`], now(), windowMs);
  if ((counted?.count ?? 0) > mailsTo[user.email_confirmed ? 'confirmed' : 'unconfirmed']) return;
  await mail.enqueue(tx, { template, recipient: user.email, data });
}
