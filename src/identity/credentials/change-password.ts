import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { unprocessable } from '../../platform/errors.ts';
import type { UserRow } from '../accounts/user-store.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { checkWithinLimits, networkLimits } from '../throttle/throttle.ts';

export const currentPasswordRequired = (field = 'current_password') =>
  unprocessable([{ field, code: 'required', message: `${field} is required for this.` }]);

export const wrongPassword = (field: string) =>
  unprocessable([{ field, code: 'wrong', message: `${field} is not the password of this user.` }]);

interface PasswordInput {
  /** The field in the request body. */
  readonly field: string;
  readonly value: unknown;
  readonly source: RequestSource;
}

/** Throws unless this is the user's password. Counts wrong guesses. */
export async function requireCurrentPassword(
  context: Context,
  passwords: Passwords,
  user: UserRow,
  { field, value, source }: PasswordInput,
): Promise<void> {
  if (value === undefined || value === null || value === '') throw currentPasswordRequired(field);
  if (typeof value !== 'string') throw unprocessable([{ field, code: 'type', message: `${field} must be text.` }]);
  // Counted separately from sign-ins. So guesses at the sign-in do not keep the owner from changing the password, and a stolen
  // token does not keep the owner from signing in.
  const account = { key: `current-password:account:${user.id}`, max: 10, of: 'account', resetOnSuccess: true };
  const isCorrect = await checkWithinLimits(
    context,
    [account, ...networkLimits('login', source.address, 100)],
    async () => (await passwords.verify(value, user.password_hash, source.address)) || undefined,
    'Too many wrong passwords. Wait before you try again.',
  );
  if (!isCorrect) throw wrongPassword(field);
}
