import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';

/**
 * Contract 8.9: refuses what would let an application act for a person after the person has withdrawn the consent: personal
 * access tokens, clients, their secrets and redirect URIs, webhooks. An application that an administrator trusts is one too.
 */
export function refuseToOutliveConsent({ application }: Caller): void {
  if (!application) return;
  throw forbidden('An application cannot make what would outlive your consent to it. Do this in your settings.');
}
