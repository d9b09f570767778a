import { createHmac, timingSafeEqual } from 'node:crypto';
import { Hmac } from './hmac.ts';
import type { KeyRow } from './key-store.ts';

interface MacKey {
  readonly id: string;
  readonly secret: Buffer;
  readonly signsFrom: number;
  readonly retiresAt: number | null;
  /** What derives from it, by purpose. */
  readonly derived: Map<string, Hmac>;
}

/** The symmetric keys from which MACs for every purpose derive. The newest that may do so makes them; those before it still check. */
export class MacKeys {
  /** Newest first. */
  #keys: readonly MacKey[] = [];

  take(rows: readonly KeyRow[], open: (row: KeyRow) => Buffer): void {
    const known = new Map(this.#keys.map((key) => [key.id, key]));
    this.#keys = rows.map((row) => {
      const same = known.get(row.id);
      return {
        id: row.id,
        secret: same?.secret ?? open(row),
        signsFrom: row.signs_from,
        retiresAt: row.retires_at,
        derived: same?.derived ?? new Map(),
      };
    });
  }

  /** The key that makes MACs now. */
  currentId(now: number): string {
    return this.#current(now).id;
  }

  mac(purpose: string, data: string, now: number): string {
    return derive(this.#current(now), purpose).of(data);
  }

  /** What every key that counts would make of it, the current one's first. */
  macs(purpose: string, data: string, now: number): string[] {
    const current = this.#current(now);
    const others = this.#keys.filter((key) => key !== current && isLive(key, now));
    return [current, ...others].map((key) => derive(key, purpose).of(data));
  }

  /** By the key that is named; else by any that counts now, also one that makes none yet: another clock may be ahead. */
  matches(purpose: string, data: string, mac: string, by: string | number): boolean {
    const given = Buffer.from(mac);
    const counts = (key: MacKey) => (typeof by === 'string' ? key.id === by : isLive(key, by));
    return this.#keys.some((key) => counts(key) && isSame(derive(key, purpose).of(data), given));
  }

  /** Under one key, however old, as long as it is there: for what is stored beside the key's name. */
  macUnder(keyId: string, purpose: string, data: string): string | undefined {
    const key = this.#keys.find(({ id }) => id === keyId);
    return key && derive(key, purpose).of(data);
  }

  #current(now: number): MacKey {
    const key = this.#keys.find((candidate) => candidate.signsFrom <= now && isLive(candidate, now));
    // Only a clock that is behind leaves none.
    const current = key ?? this.#keys.at(-1);
    if (!current) throw new Error('there is no MAC key');
    return current;
  }
}

const isLive = ({ retiresAt }: MacKey, now: number): boolean => retiresAt === null || retiresAt > now;

/** Takes the same time whether the first or the last character differs. */
function isSame(right: string, given: Buffer): boolean {
  const expected = Buffer.from(right);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function derive({ secret, derived }: MacKey, purpose: string): Hmac {
  let hmac = derived.get(purpose);
  if (!hmac) {
    hmac = new Hmac(createHmac('sha256', secret).update(purpose).digest());
    derived.set(purpose, hmac);
  }
  return hmac;
}
