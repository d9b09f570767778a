import type { Tx } from '../../database/database.ts';
import type { Caller } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import { findClient } from './client-store.ts';

/**
 * Refuses what would let an application act for a person after the person has withdrawn it: personal tokens, clients and their secrets.
 * What an administrator trusts, and the operator's own clients, may make them.
 */
export async function refuseToOutliveConsent(tx: Tx, { kind, clientId }: Caller): Promise<void> {
  if (kind !== 'user' || clientId === null) return;
  const client = await findClient(tx, clientId);
  if (client?.type !== 'application' || client.trusted) return;
  throw forbidden('An application cannot make what would outlive your consent to it. Do this in your settings.');
}
