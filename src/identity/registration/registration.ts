import type { Config } from '../../config/config.ts';
import { forbidden, Problem } from '../../platform/errors.ts';

/** Administrators and the command line make users whatever the setting says. */
export function requireOpenRegistration({ registration }: Pick<Config, 'registration'>): void {
  if (registration === 'open') return;
  throw new Problem(403, 'Registration is closed', 'Accounts are made by the administrators of this service.', {
    code: 'registration_closed',
  });
}

/** LOCAL_PASSWORDS=off: providers and passkeys are the only ways to sign in, so nobody sets a password. */
export function requireLocalPasswords({ localPasswords }: Pick<Config, 'localPasswords'>): void {
  if (localPasswords) return;
  throw forbidden('This service has no passwords. Sign in with a provider or a passkey.', 'local_passwords_off');
}
