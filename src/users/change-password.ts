import type { Context } from '../context.ts';
import { tooManyRequests, unprocessable } from '../errors.ts';
import type { Origin } from '../http/origin.ts';
import type { Passwords } from './passwords.ts';
import { countAttempt, forgiveAttempt, giveBackAttempt, throttleKeys } from './throttle.ts';
import type { UserRow } from './user-store.ts';

/** Who changes the own password must know the old one: a token alone may be stolen. Guesses count as failed sign-ins. */
export async function requireCurrentPassword(
  context: Context,
  passwords: Passwords,
  user: UserRow,
  given: string | undefined,
  origin: Origin,
): Promise<void> {
  const field = 'current_password';
  if (given === undefined) {
    throw unprocessable([{ field, code: 'required', message: `${field} is required to change the own password.` }]);
  }
  const keys = throttleKeys('login', user.id, origin.address);
  const refusal = await countAttempt(context, keys);
  if (refusal) {
    throw tooManyRequests('Too many wrong passwords. Wait before you try again.', refusal.retryAfterSeconds);
  }
  const right = await passwords.verify(given, user.password_hash).catch(async (error: unknown) => {
    await giveBackAttempt(context, keys);
    throw error;
  });
  if (!right) {
    throw unprocessable([{ field, code: 'wrong', message: `${field} is not the password of this user.` }]);
  }
  await forgiveAttempt(context, keys);
}
