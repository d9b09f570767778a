import { randomBytes } from 'node:crypto';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { spend } from './spent-value-store.ts';

type Macs = Pick<KeyRing, 'macKeys'>;

const macPurpose = 'passkey challenge';
const lifeMs = 5 * 60_000;

/** `automatic`: the browser may make the passkey by itself, without asking the person (conditional create). */
export type Ceremony = 'create' | 'automatic' | 'get';

export interface Challenge {
  readonly ceremony: Ceremony;
  readonly nonce: string;
  readonly expiresAt: number;
  /** The user who registers a passkey. Empty for `get`, because the assertion names the user. */
  readonly userId: string;
}

/** A signed challenge: nothing is stored until it is used, and any instance can check it. */
export function makeChallenge(keys: Macs, ceremony: Ceremony, userId: string, now: number): string {
  const what = [ceremony, randomBytes(16).toString('base64url'), now + lifeMs, userId].join('.');
  return `${what}.${keys.macKeys.mac(macPurpose, what)}`;
}

const form = /^(create|automatic|get)\.([\w-]{22})\.(\d{1,15})\.([0-9a-f-]{0,36})\.([\w-]{43})$/;

/** Of the client data, where a challenge is base64url. Undefined where it is none of ours, or expired. */
export function readChallenge(keys: Macs, encoded: string, now: number): Challenge | undefined {
  const text = encoded.length > 400 ? '' : Buffer.from(encoded, 'base64url').toString();
  const parts = form.exec(text) as unknown as [string, Ceremony, string, string, string, string] | null;
  if (!parts) return undefined;
  const [, ceremony, nonce, expiry, userId, mac] = parts;
  const isOurs = keys.macKeys.matches(macPurpose, text.slice(0, -mac.length - 1), mac);
  return isOurs && Number(expiry) > now ? { ceremony, nonce, expiresAt: Number(expiry), userId } : undefined;
}

/** Uses it up, in the transaction of what it is for. */
export const spendChallenge = (tx: Tx, { nonce, expiresAt }: Challenge): Promise<boolean> =>
  spend(tx, `passkey:${nonce}`, expiresAt);
