import { randomBytes } from 'node:crypto';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { consumeOnce } from '../factors/spent-value-store.ts';

const purpose = 'provider proof';
const lifeMs = 5 * 60_000;
const form = /^([0-9a-f-]{36})\.([12])\.([\w-]{22})\.(\d{1,15})\.([\w-]{43})$/;

/**
 * A user authenticated again at a provider. The proof is valid once, for one session, within five minutes. It is a signed
 * text: nothing is stored until it is used. `factors`: the number of factors for the provider's `acr`.
 */
export function makeProviderProof(keys: KeyRing, sessionId: string, factors: 1 | 2, now: number): string {
  const payload = [sessionId, factors, randomBytes(16).toString('base64url'), now + lifeMs].join('.');
  return `${payload}.${keys.macKeys.mac(purpose, payload)}`;
}

/** Undefined if it is invalid, expired, or for another session. */
export function readProviderProof(
  keys: KeyRing,
  { sent, sessionId, now }: { sent: unknown; sessionId: string; now: number },
) {
  const parts = typeof sent === 'string' ? form.exec(sent) : null;
  const [text = '', session, factors, nonce, expiry, mac = ''] = parts ?? [];
  if (session !== sessionId || !keys.macKeys.matches(purpose, text.slice(0, -mac.length - 1), mac)) return undefined;
  const expiresAt = Number(expiry);
  if (expiresAt <= now) return undefined;
  return {
    factors: factors === '2' ? 2 : 1,
    consume: (tx: Tx) => consumeOnce(tx, `provider-proof:${nonce}`, expiresAt),
  };
}
