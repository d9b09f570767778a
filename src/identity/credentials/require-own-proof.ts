import type { Config } from '../../config/config.ts';
import { requireProof } from '../../http/gate/require-proof.ts';
import { type Caller, isSignedIn } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import type { UserRow } from '../accounts/user-store.ts';
import { hasPassword } from '../passwords/passwords.ts';
import { currentPasswordRequired } from './change-password.ts';

/** Whether this user can prove who they are by a password. */
export const hasLocalPassword = (
  { localPasswords }: Pick<Config, 'localPasswords'>,
  { password_hash }: Pick<UserRow, 'password_hash'>,
): boolean => localPasswords && hasPassword(password_hash);

/**
 * For what opens or ends the caller's own account. Who has a password sends it along. Who has none must have proved a moment
 * ago who they are, by a provider or a passkey, and acts through no application.
 */
export function requireOwnProof(
  config: Pick<Config, 'localPasswords'>,
  caller: Caller,
  user: Pick<UserRow, 'password_hash'>,
  now: number,
): void {
  if (hasLocalPassword(config, user)) {
    if (!caller.proof.sent) throw currentPasswordRequired();
    return;
  }
  if (!isSignedIn(caller)) throw forbidden('Sign in to change this: no application and no token can.');
  requireProof(caller, now);
}
