import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { getOrCreate } from '../../platform/get-or-create.ts';
import type { KeyRow } from './key-store.ts';

const blockBytes = 64;
const maxDataBytes = 1024;

/** HMAC-SHA256 (RFC 2104) with one key, faster than `createHmac`, which creates a stream each time (docs/performance.md). */
export class Hmac {
  readonly #key: Buffer;
  /** The padded key, and room for the data. */
  readonly #inner = Buffer.alloc(blockBytes + maxDataBytes);
  readonly #outer = Buffer.alloc(blockBytes + 32);

  constructor(key: Buffer) {
    this.#key = key;
    const blockKey = key.length > blockBytes ? hash('sha256', key, 'buffer') : key;
    for (let i = 0; i < blockBytes; i++) {
      this.#inner[i] = (blockKey[i] ?? 0) ^ 0x36;
      this.#outer[i] = (blockKey[i] ?? 0) ^ 0x5c;
    }
  }

  /** In base64url. */
  digest(data: string): string {
    // A character has at most three bytes.
    if (data.length * 3 > maxDataBytes) return createHmac('sha256', this.#key).update(data).digest('base64url');
    const end = blockBytes + this.#inner.write(data, blockBytes);
    this.#outer.write(hash('sha256', this.#inner.subarray(0, end), 'hex'), blockBytes, 'hex');
    // The data may have been a secret.
    this.#inner.fill(0, blockBytes, end);
    return hash('sha256', this.#outer, 'base64url');
  }
}

interface MacKey {
  readonly id: string;
  readonly secret: Buffer;
  readonly signsFrom: number;
  readonly retiresAt: number | null;
  readonly derived: Map<string, Hmac>;
}

/** The symmetric keys from which the MACs of every purpose derive. The newest key creates MACs. Older keys still verify them. */
export class MacKeys {
  readonly #now: () => number;
  /** Newest first. */
  #keys: readonly MacKey[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  load(rows: readonly KeyRow[], open: (row: KeyRow) => Buffer): void {
    const loadedKeys = new Map(this.#keys.map((key) => [key.id, key]));
    this.#keys = rows.map((row) => {
      const loadedKey = loadedKeys.get(row.id);
      return {
        id: row.id,
        secret: loadedKey?.secret ?? open(row),
        signsFrom: row.signs_from,
        retiresAt: row.retires_at,
        derived: loadedKey?.derived ?? new Map(),
      };
    });
  }

  /** The id of the key that creates MACs now. Store it beside a MAC that outlives the key. */
  currentId(): string {
    return this.#current().id;
  }

  /** HMAC-SHA256 in base64url. A MAC for one purpose is invalid for every other. */
  mac(purpose: string, data: string): string {
    return hmacFor(this.#current(), purpose).digest(data);
  }

  /** One MAC per valid key, starting with the current key. Use it to find a row by its MAC. */
  macs(purpose: string, data: string): string[] {
    const [current, now] = [this.#current(), this.#now()];
    const otherKeys = this.#keys.filter((key) => key !== current && isLive(key, now));
    return [current, ...otherKeys].map((key) => hmacFor(key, purpose).digest(data));
  }

  /** Whether the named key created this MAC. Without a key id: whether any valid key did, including a key that is not in use yet. */
  matches(purpose: string, data: string, mac: string, keyId: string | null = null): boolean {
    const [presented, now] = [Buffer.from(mac), this.#now()];
    const isAccepted = (key: MacKey) => (keyId === null ? isLive(key, now) : key.id === keyId);
    return this.#keys.some((key) => isAccepted(key) && isEqual(hmacFor(key, purpose).digest(data), presented));
  }

  /** The MAC with one key, of any age. Undefined if the key was deleted. */
  macWithKey(keyId: string, purpose: string, data: string): string | undefined {
    const key = this.#keys.find(({ id }) => id === keyId);
    return key && hmacFor(key, purpose).digest(data);
  }

  #current(): MacKey {
    const now = this.#now();
    const key = this.#keys.find((candidate) => candidate.signsFrom <= now && isLive(candidate, now));
    // No key has started yet only if this machine's clock is slow. The oldest key is known everywhere.
    const current = key ?? this.#keys.at(-1);
    if (!current) throw new Error('there is no MAC key');
    return current;
  }
}

/** Creates and verifies MACs, to recognise values of the service itself. */
export type Macs = Pick<MacKeys, 'mac' | 'macs' | 'matches'>;

const isLive = ({ retiresAt }: MacKey, now: number): boolean => retiresAt === null || retiresAt > now;

/** Compares in constant time. */
function isEqual(expectedMac: string, presented: Buffer): boolean {
  const expected = Buffer.from(expectedMac);
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}

const hmacFor = ({ secret, derived }: MacKey, purpose: string): Hmac =>
  getOrCreate(derived, purpose, () => new Hmac(createHmac('sha256', secret).update(purpose).digest()));
