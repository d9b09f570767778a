import { randomBytes } from 'node:crypto';
import type { Invalidate } from '../bus.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../database.ts';
import { uuidv7 } from '../uuid.ts';
import { deleteOthers, deleteRetired, insertKey, type KeyRow, lastExpiry, retireOthers } from './key-store.ts';
import type { Sealing } from './sealing.ts';
import { generateSigningKey, publicJwk, type SigningAlgorithm } from './signing.ts';

export async function createSigningKey(
  sealing: Sealing,
  algorithm: SigningAlgorithm,
  { now, signsFrom, signs = null }: { now: number; signsFrom: number; signs?: KeyRow['signs'] },
): Promise<KeyRow> {
  const id = uuidv7(now);
  const privateKey = await generateSigningKey(algorithm);
  return {
    id,
    purpose: 'sign',
    signs,
    algorithm,
    public_jwk: JSON.stringify(publicJwk(privateKey, id, algorithm)),
    sealed_private: sealing.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), id),
    created_at: now,
    signs_from: signsFrom,
    retires_at: null,
  };
}

/** The default algorithm of ID tokens. Every client supports it (OpenID Connect Core 15.1). */
export const idTokenAlgorithm: SigningAlgorithm = 'RS256';

export const createIdTokenKey = (sealing: Sealing, times: { now: number; signsFrom: number }): Promise<KeyRow> =>
  createSigningKey(sealing, idTokenAlgorithm, { ...times, signs: 'id_token' });

export function createMacKey(sealing: Pick<Sealing, 'seal'>, times: { now: number; signsFrom: number }): KeyRow {
  const { now, signsFrom } = times;
  const id = uuidv7(now);
  return {
    id,
    purpose: 'mac',
    signs: null,
    algorithm: 'HS256',
    public_jwk: null,
    sealed_private: sealing.seal(randomBytes(32), id),
    created_at: now,
    signs_from: signsFrom,
    retires_at: null,
  };
}

/** The time between publishing a key and signing with it. Resource servers and instances must load the key first. */
export const publishLeadMs = 10 * 60_000;
const clockToleranceMs = 60_000;
/**
 * The longest lifetime of a MAC: the cookie of known browsers. Links in mail are valid for a week; forms, cursors and stored responses for
 * less.
 */
const maxMacLifetimeMs = 365 * 86_400_000;

/** Call it outside of transactions, because an RSA key takes long. */
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
    await deleteOthers(tx, [signing.id, idToken.id, mac.id]);
    invalidate({ kind: 'everything', id: '' });
    return;
  }
  const tokenLifetimeMs = Math.max(config.accessTokenTtl, config.personalTokenTtl) * 1000;
  const macLifetimeMs = Math.max(config.refreshTokenTtl * 1000, maxMacLifetimeMs);
  const lastToken = Math.max(signing.signs_from + tokenLifetimeMs, await lastExpiry(tx, 'personal'));
  const lastMac = Math.max(mac.signs_from + macLifetimeMs, await lastExpiry(tx, 'session'));
  await retireOthers(tx, 'sign', [signing.id, idToken.id], lastToken + clockToleranceMs);
  await retireOthers(tx, 'mac', [mac.id], lastMac + clockToleranceMs);
  await deleteRetired(tx, now());
}
