import type { Context } from '../../database/context.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import { insufficientScope, unauthorized } from '../../http/gate/unauthorized.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { forbidden, unprocessable } from '../../platform/errors.ts';
import { proofWithPassword } from '../../platform/proof.ts';
import type { ProveByPassword } from '../../resources/model/resource-services.ts';
import { findUser, type UserRow } from '../accounts/user-store.ts';
import { hasPassword, type Passwords } from '../passwords/passwords.ts';
import { checkWithinLimits, networkLimits } from '../throttle/throttle.ts';

/** The caller of a request with `current_password`. The proof is valid for this request only. */
export const createPasswordProver =
  (context: Context, passwords: Passwords): ProveByPassword =>
  async ({ caller, source }, value) => {
    if (caller.kind !== 'user' || caller.userId === null || !context.config.localPasswords) return caller;
    const user = await findUser(context.database.db, caller.userId);
    if (!user) throw unauthorized('user_gone');
    const { proof } = caller;
    const isCorrect = await isCurrentPassword(context, passwords, user, { field: 'current_password', value, source });
    if (isCorrect) return Object.freeze({ ...caller, proof: proofWithPassword(proof, context.now()) });
    // A token that cannot do this even with the password must not learn whether the password is right.
    if (!proof.renewable) return Object.freeze({ ...caller, proof: { ...proof, passwordInRequest: false } });
    throw wrongPassword('current_password');
  };

/** Whether the user can sign in with a password. */
export const hasLocalPassword = (
  { config }: Pick<Context, 'config'>,
  { password_hash }: Pick<UserRow, 'password_hash'>,
): boolean => config.localPasswords && hasPassword(password_hash);

/** Requires `current_password`, or a recent proof if the user has no password. Rejects applications. */
export function requirePasswordOrProof(
  context: Pick<Context, 'config'>,
  caller: Caller,
  user: Pick<UserRow, 'password_hash'>,
  now: number,
): void {
  if (caller.proof.passwordInRequest) return;
  if (caller.proof.passwordInRequest === false) throw wrongPassword('current_password');
  if (hasLocalPassword(context, user)) throw currentPasswordRequired();
  if (caller.application) throw forbidden('An application cannot change how you sign in. Do this in your settings.');
  if (!caller.scopes.includes('*')) throw insufficientScope('*');
  requireProof(caller, now);
}

const currentPasswordRequired = (field = 'current_password') =>
  unprocessable([{ field, code: 'required', message: `${field} is required for this.` }]);

export const wrongPassword = (field: string) =>
  unprocessable([{ field, code: 'wrong', message: `${field} is not the password of this user.` }]);

/** Throws unless this is the user's password. Counts wrong guesses. */
export async function requireCurrentPassword(
  context: Context,
  passwords: Passwords,
  user: UserRow,
  sent: SentPassword,
): Promise<void> {
  if (!(await isCurrentPassword(context, passwords, user, sent))) throw wrongPassword(sent.field);
}

interface SentPassword {
  /** The field in the request body. */
  readonly field: string;
  readonly value: unknown;
  readonly source: RequestSource;
}

async function isCurrentPassword(
  context: Context,
  passwords: Passwords,
  user: UserRow,
  { field, value, source }: SentPassword,
): Promise<boolean> {
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
  return isCorrect === true;
}
