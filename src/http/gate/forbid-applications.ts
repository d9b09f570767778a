import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';

/** An application, trusted or not, cannot create anything that would outlive the user's consent. */
export function forbidApplications({ application }: Caller): void {
  if (!application) return;
  throw forbidden('An application cannot create anything that would outlive your consent. Do this in your settings.');
}
