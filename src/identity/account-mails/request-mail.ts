import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { mailboxOf } from '../../platform/email-address.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import { fingerprintOfLogin } from '../accounts/identifiers.ts';
import type { Mail } from '../mail/mail.ts';
import { countAgainstLimits, type ExceededLimit, networkLimits } from '../throttle/throttle.ts';

const limits = { mailbox: 5, address: 100 };

/** Queues a mail. The user is looked up later, so that timing reveals nothing. Limited per mailbox and network. */
export async function requestMail(
  context: Context,
  mail: Mail,
  template: 'confirm-email' | 'reset-password',
  email: string,
  source: RequestSource,
): Promise<ExceededLimit | undefined> {
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
