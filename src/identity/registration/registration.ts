import type { Config } from '../../config/config.ts';
import { Problem } from '../../platform/errors.ts';

/** Administrators and the command line make users whatever the setting says. */
export function requireOpenRegistration({ registration }: Pick<Config, 'registration'>): void {
  if (registration === 'open') return;
  throw new Problem(403, 'Registration is closed', 'Accounts are made by the administrators of this service.', {
    code: 'registration_closed',
  });
}
