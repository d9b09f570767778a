import type { Context } from '../context.ts';
import { tooManyRequests } from '../errors.ts';
import type { Origin } from '../http/origin.ts';
import type { Mail } from '../mail/mail.ts';
import { fingerprintOfLogin } from './identifiers.ts';
import { addressLimit, countAgainst, type Refusal } from './throttle.ts';

const limits = { account: 5, address: 100 };

/**
 * Queues a mail to whoever has this address. The queue, not the request, looks for the user: so neither the answer nor its
 * timing tells whether there is one. Beyond five mails in fifteen minutes to one address it says so to the caller,
 * who may keep it to itself; who asks for too many addresses is refused.
 */
export async function requestMail(
  context: Context,
  mail: Mail,
  template: 'confirm-email' | 'reset-password',
  email: string,
  origin: Origin,
): Promise<Refusal | undefined> {
  const refusal = await countMail(context, template, email, origin);
  if (refusal) return refusal;
  await mail.enqueue(context.database.db, { template, recipient: email });
  mail.wake();
  return undefined;
}

/** One more of these mails to this address; the refusal where that is too many. */
export async function countMail(
  context: Context,
  template: string,
  email: string,
  origin: Origin,
): Promise<Refusal | undefined> {
  const account = { key: `${template}:account:${fingerprintOfLogin(email)}`, most: limits.account, of: 'account' };
  const refusal = await countAgainst(context, [account, addressLimit(template, origin.address, limits.address)]);
  if (refusal?.of === 'address') throw tooManyMails(refusal);
  return refusal;
}

export const tooManyMails = ({ retryAfterSeconds }: Refusal) =>
  tooManyRequests('Too many mails were asked for. Wait for the last one to arrive.', retryAfterSeconds);
