import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { mailboxOf } from '../../platform/email-address.ts';
import { fingerprintOfLogin } from '../accounts/identifiers.ts';
import { findUser } from '../accounts/user-store.ts';
import type { Mail } from '../mail/mail.ts';
import { incrementCounts } from '../throttle/throttle-store.ts';

const windowMs = 15 * 60_000;
/** Limits of notices: high for a confirmed address, low for an address that may belong to another person. */
const maxMails = { confirmed: 100, unconfirmed: 5 };

export type OwnerNotice =
  | 'new-access'
  | 'new-login'
  | 'password-changed'
  | 'logout-disabled'
  | 'webhook-disabled'
  | 'factor-added'
  | 'factor-removed'
  | 'factors-removed'
  | 'recovery-code-used'
  | 'recovery-codes-few'
  | 'token-reported';

/** An unconfirmed mailbox has one count for all accounts and spellings (`+…`). */
const countKey = (template: string, userId: string, email: string, isConfirmed: boolean): string =>
  isConfirmed ? `${template}:user:${userId}` : `${template}:mailbox:${fingerprintOfLogin(mailboxOf(email))}`;

/** Queues a mail to the owner of an account. It is sent when the transaction commits. */
export async function notifyOwner(
  { now }: Pick<Context, 'now'>,
  mail: Mail,
  tx: Tx,
  {
    userId,
    template,
    data,
    source,
  }: { userId: string; template: OwnerNotice; data?: Readonly<Record<string, string | null>>; source: RequestSource },
): Promise<void> {
  const user = await findUser(tx, userId);
  if (!user?.email) return;
  const isConfirmed = user.email_confirmed === 1;
  const [counted] = await incrementCounts(tx, [countKey(template, userId, user.email, isConfirmed)], now(), windowMs);
  if ((counted?.count ?? 0) > maxMails[isConfirmed ? 'confirmed' : 'unconfirmed']) return;
  await mail.enqueue(tx, { template, recipient: user.email, language: source.language, ...(data ? { data } : {}) });
}
