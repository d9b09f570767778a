import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { mailboxOf } from '../../platform/email-address.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { fingerprintOfLogin } from '../accounts/identifiers.ts';
import { findUser } from '../accounts/user-store.ts';
import { countAgainstLimits, type ExceededLimit, networkLimits } from '../throttle/throttle.ts';
import { incrementCounts } from '../throttle/throttle-store.ts';

const limits = { mailbox: 5, address: 100 };

/** Queues a mail. The user is looked up later, so that timing reveals nothing. Limited per mailbox and network. */
export async function requestMail(
  { context, mail }: Pick<AccountServices, 'context' | 'mail'>,
  template: 'confirm-email' | 'reset-password',
  email: string,
  source: RequestSource,
) {
  const exceeded = await countAgainstMailLimits(context, template, email, source);
  if (exceeded) return exceeded;
  await mail.enqueue(context.database.db, { template, recipient: email, language: source.language });
  return undefined;
}

/** Counts a mail to this address. Throws if there are too many. */
export async function countMail(context: Context, template: string, email: string, source: RequestSource) {
  const exceeded = await countAgainstMailLimits(context, template, email, source);
  if (exceeded) throw tooManyMails(exceeded);
}

function countAgainstMailLimits(context: Context, template: string, email: string, source: RequestSource) {
  // The part after a plus sign does not change the mailbox.
  const key = `${template}:account:${fingerprintOfLogin(mailboxOf(email))}`;
  const mailbox = { key, max: limits.mailbox, of: 'account' };
  return countAgainstLimits(context, [mailbox, ...networkLimits(template, source.address, limits.address)]);
}

export const tooManyMails = ({ retryAfterSeconds }: ExceededLimit) =>
  tooManyRequests('Too many emails were requested. Wait for the last one to arrive.', retryAfterSeconds);

const windowMs = 15 * 60_000;
/** Limits of notices: high for a confirmed address, low for an address that may belong to another person. */
const maxMails = { confirmed: 100, unconfirmed: 5 };

/** The notices to the owner of an account, and the page that each links to. */
export const noticePaths = {
  'password-changed': '/password/forgot',
  'new-access': '/settings',
  'webhook-disabled': '/settings',
  'logout-disabled': '/settings/applications',
  'new-login': '/settings/sessions',
  'factor-added': '/settings/security',
  'factor-removed': '/settings/security',
  'factors-removed': '/settings/security',
  'recovery-code-used': '/settings/security',
  'recovery-codes-few': '/settings/security',
  'token-reported': '/settings/tokens',
} as const;
export type OwnerNotice = keyof typeof noticePaths;

/** An unconfirmed mailbox has one count for all accounts and spellings (`+…`). */
const countKey = (template: string, userId: string, email: string, isConfirmed: boolean): string =>
  isConfirmed ? `${template}:user:${userId}` : `${template}:mailbox:${fingerprintOfLogin(mailboxOf(email))}`;

interface Notice {
  readonly userId: string;
  readonly template: OwnerNotice;
  readonly data?: Readonly<Record<string, string | null>>;
  readonly source: RequestSource;
}

/** Queues a mail to the owner of an account. It is sent when the transaction commits. */
export async function notifyOwner(
  { context: { now }, mail }: Pick<AccountServices, 'context' | 'mail'>,
  tx: Tx,
  { userId, template, data, source }: Notice,
): Promise<void> {
  const user = await findUser(tx, userId);
  if (!user?.email) return;
  const isConfirmed = user.email_confirmed === 1;
  const [counted] = await incrementCounts(tx, [countKey(template, userId, user.email, isConfirmed)], now(), windowMs);
  if ((counted?.count ?? 0) > maxMails[isConfirmed ? 'confirmed' : 'unconfirmed']) return;
  await mail.enqueue(tx, { template, recipient: user.email, language: source.language, ...(data ? { data } : {}) });
}
