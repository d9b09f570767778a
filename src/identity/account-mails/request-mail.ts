import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { mailboxOf } from '../../platform/email-address.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import { fingerprintOfLogin } from '../accounts/identifiers.ts';
import type { Mail } from '../mail/mail.ts';
import { countAgainstLimits, networkLimits, type Refusal } from '../throttle/throttle.ts';

const limits = { mailbox: 5, address: 100 };

/** Queues a mail. The user is looked up later, so that timing reveals nothing. Limited per mailbox and network. */
export async function requestMail(
  context: Context,
  mail: Mail,
  template: 'confirm-email' | 'reset-password',
  email: string,
  source: RequestSource,
): Promise<Refusal | undefined> {
  const refusal = await countAgainstMailLimits(context, template, email, source);
  if (refusal) return refusal;
  await mail.enqueue(context.database.db, { template, recipient: email, language: source.language });
  return undefined;
}

/** Counts a mail to this address. Throws if there are too many. */
export async function countMail(context: Context, template: string, email: string, source: RequestSource) {
  const refusal = await countAgainstMailLimits(context, template, email, source);
  if (refusal) throw tooManyMails(refusal);
}

function countAgainstMailLimits(context: Context, template: string, email: string, source: RequestSource) {
  // The part after a plus sign does not change the mailbox.
  const key = `${template}:account:${fingerprintOfLogin(mailboxOf(email))}`;
  const mailbox = { key, max: limits.mailbox, of: 'account' };
  return countAgainstLimits(context, [mailbox, ...networkLimits(template, source.address, limits.address)]);
}

export const tooManyMails = ({ retryAfterSeconds }: Refusal) =>
  tooManyRequests('Too many emails were requested. Wait for the last one to arrive.', retryAfterSeconds);
