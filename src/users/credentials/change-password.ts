import type { Context } from '../../context.ts';
import { tooManyRequests, unprocessable } from '../../errors.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { UserRow } from '../accounts/user-store.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { begin, networkLimits } from '../throttle/throttle.ts';

const field = 'current_password';

export const currentPasswordRequired = () =>
  unprocessable([{ field, code: 'required', message: `${field} is required for this.` }]);

/** Who changes what opens the own account must know its password: a token alone may be stolen. Guesses count as failed sign-ins. */
export async function requireCurrentPassword(
  context: Context,
  passwords: Passwords,
  user: UserRow,
  given: string | undefined,
  source: RequestSource,
): Promise<void> {
  if (given === undefined || given === '') throw currentPasswordRequired();
  // Counted apart from sign-ins: neither can a stranger who guesses keep the owner from changing the password, nor
  // a stolen token the owner from signing in.
  const account = { key: `current-password:account:${user.id}`, most: 10, of: 'account', forgiven: true };
  const attempt = await begin(context, [account, ...networkLimits('login', source.address, 100)]);
  const [refusal] = attempt.refusals;
  if (refusal) {
    await attempt.giveBack();
    throw tooManyRequests('Too many wrong passwords. Wait before you try again.', refusal.retryAfterSeconds);
  }
  const right = await passwords.verify(given, user.password_hash, source.address).catch(async (error: unknown) => {
    await attempt.giveBack();
    throw error;
  });
  if (!right) {
    await attempt.count();
    throw unprocessable([{ field, code: 'wrong', message: `${field} is not the password of this user.` }]);
  }
  await attempt.succeed();
}
