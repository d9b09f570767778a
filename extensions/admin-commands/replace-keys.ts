import { everything, type Invalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import type { Tx } from '../../src/database/database.ts';
import { insertKey } from '../../src/database/keys/key-store.ts';
import { createIdTokenKey, createMacKey, createSigningKey } from '../../src/database/keys/make-keys.ts';
import type { Sealing } from '../../src/database/keys/sealing.ts';
import { deleteOtherKeys, deleteRetiredKeys, lastExpiry, retireOtherKeys } from './replaced-keys-store.ts';

/** The time between publishing a key and signing with it. Resource servers and instances must load the key first. */
export const publishLeadMs = 10 * 60_000;
const clockToleranceMs = 60_000;
/**
 * The longest lifetime of a MAC, which is that of the cookie for known browsers. Links in emails are valid for a week. Forms, cursors and
 * stored responses are valid for less.
 */
const maxMacLifetimeMs = 365 * 86_400_000;

/** Call it outside of transactions, because it takes long to create an RSA key. */
export async function createNewKeys({ config, now }: Context, sealing: Sealing, compromised: boolean) {
  const at = now();
  const times = { now: at, signsFrom: compromised ? at : at + publishLeadMs };
  const [signing, idToken] = await Promise.all([
    createSigningKey(sealing, config.signingAlgorithm, times),
    createIdTokenKey(sealing, times),
  ]);
  return { signing, idToken, mac: createMacKey(sealing, times), compromised };
}

/** Stores new keys. Old keys retire when their tokens have expired, or at once if they are compromised. */
export async function storeNewKeys(
  { config, now }: Context,
  tx: Tx,
  invalidate: Invalidate,
  { signing, idToken, mac, compromised }: Awaited<ReturnType<typeof createNewKeys>>,
): Promise<void> {
  await insertKey(tx, signing);
  await insertKey(tx, idToken);
  await insertKey(tx, mac);
  invalidate({ kind: 'keys', id: signing.id });
  if (compromised) {
    await deleteOtherKeys(tx, [signing.id, idToken.id, mac.id]);
    invalidate(everything);
    return;
  }
  const tokenLifetimeMs = Math.max(config.accessTokenTtl, config.personalTokenTtl) * 1000;
  const macLifetimeMs = Math.max(config.refreshTokenTtl * 1000, maxMacLifetimeMs);
  const lastToken = Math.max(signing.signs_from + tokenLifetimeMs, await lastExpiry(tx, 'personal'));
  const lastMac = Math.max(mac.signs_from + macLifetimeMs, await lastExpiry(tx, 'session'));
  await retireOtherKeys(tx, 'sign', [signing.id, idToken.id], lastToken + clockToleranceMs);
  await retireOtherKeys(tx, 'mac', [mac.id], lastMac + clockToleranceMs);
  await deleteRetiredKeys(tx, now());
}
