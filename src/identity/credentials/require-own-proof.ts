import type { Context } from '../../database/context.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import { insufficientScope } from '../../http/gate/unauthorized.ts';
import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import type { UserRow } from '../accounts/user-store.ts';
import { hasPassword } from '../passwords/passwords.ts';
import { currentPasswordRequired } from './change-password.ts';

/** Whether the user can type a password here. */
export const canUsePassword = (
  { config }: Pick<Context, 'config'>,
  { password_hash }: Pick<UserRow, 'password_hash'>,
): boolean => config.localPasswords && hasPassword(password_hash);

/**
 * Contract 5.5: a user changes what opens their own account with `current_password`. A user without a password needs a
 * recent proof instead (5.9). Applications that a user signed in to a moment ago have such a proof too, so they are refused.
 */
export function requireOwnProof(
  context: Pick<Context, 'config'>,
  caller: Caller,
  user: Pick<UserRow, 'password_hash'>,
  now: number,
): void {
  if (caller.proof.sent) return;
  if (canUsePassword(context, user)) throw currentPasswordRequired();
  if (caller.application) throw forbidden('An application cannot change how you sign in. Do this in your settings.');
  if (!caller.scopes.includes('*')) throw insufficientScope('*');
  requireProof(caller, now);
}
