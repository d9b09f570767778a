import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { adminScope, everyScope, explicitScopes } from '../clients/scopes/scopes.ts';
import { type Consent, type ConsentKey, lockConsent, upsertConsent } from './consent-store.ts';

interface Decision extends ConsentKey, Omit<Consent, 'id'> {
  /** The session of the user who decided. */
  readonly sessionId: string;
  readonly source: RequestSource;
}

/** Stores a user's decision. Scopes that were not requested keep their earlier decision. */
export async function rememberConsent(
  context: Context,
  tx: Tx,
  { userId, clientId, sessionId, scopes, requestedScopes, source }: Decision,
): Promise<void> {
  const parties = { userId, clientId };
  const existing = await lockConsent(tx, parties);
  const unchanged = existing?.scopes.filter((scope) => !requestedScopes.includes(scope)) ?? [];
  // The admin scope is not remembered: the user is asked each time.
  const remembered = (all: readonly string[]) => all.filter((scope) => scope !== adminScope);
  const consent = {
    scopes: remembered([...unchanged, ...scopes]),
    requestedScopes: remembered([...new Set([...(existing?.requestedScopes ?? []), ...requestedScopes])]),
  };
  await upsertConsent(tx, parties, consent, context.now());
  const data = { scopes, left_out: requestedScopes.filter((scope) => !scopes.includes(scope)) };
  await recordEvent(context, tx, { type: 'consent.given', ...parties, sessionId, source, data });
}

/** `*` covers every scope except `explicitScopes`. */
export const hasAllowed = ({ scopes }: Pick<Consent, 'scopes'>, scope: string): boolean =>
  scopes.includes(scope) || (scopes.includes(everyScope) && !explicitScopes.includes(scope));
