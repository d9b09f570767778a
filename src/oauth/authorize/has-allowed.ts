import { everyScope, named } from '../clients/scopes/scopes.ts';
import type { Consent } from './consent-store.ts';

/**
 * Whether a person has allowed this scope. Whoever allowed everything has allowed each part of it. Who they
 * are, access in their absence and their roles are no part.
 */
export const hasAllowed = ({ scopes }: Pick<Consent, 'scopes'>, scope: string): boolean =>
  scopes.includes(scope) || (scopes.includes(everyScope) && !named.includes(scope));
