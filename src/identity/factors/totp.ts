import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** RFC 6238 with the parameters that every authenticator app supports: SHA-1, six digits, thirty seconds. */
const stepSeconds = 30;
const digits = 6;
/** RFC 6238 5.2: one step, for clock differences and for the time to type. */
const drift = 1;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 6, without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

/** Undefined if the text is not base32. Accepts padding, spaces and lower case. */
function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text.toUpperCase().replace(/[\s=-]/g, '')) {
    const five = alphabet.indexOf(letter);
    if (five < 0) return undefined;
    value = ((value << 5) | five) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 255);
  }
  return Buffer.from(bytes);
}

/** RFC 4226 4: 160 bits. */
export const makeTotpSecret = (): string => toBase32(randomBytes(20));

/** RFC 4226 5.3. */
function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(19) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, '0');
}

export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** The time step of this code, the newest first. Undefined if the code is not valid now. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const bytes = fromBase32(secret);
  if (!bytes || !isTotpCode(code)) return undefined;
  const codeBytes = Buffer.from(code);
  const current = Math.floor(now / 1000 / stepSeconds);
  const steps = Array.from({ length: 2 * drift + 1 }, (_, i) => current + drift - i);
  // All steps are compared, so that timing reveals nothing.
  return steps.filter((step) => timingSafeEqual(Buffer.from(codeOf(bytes, step)), codeBytes))[0];
}

/** The URI in the QR code that an authenticator app reads. */
export function otpauthUri({ secret, issuer, account }: { secret: string; issuer: string; account: string }): string {
  const plain = (text: string) => encodeURIComponent(text.replaceAll(':', ' '));
  const query = `secret=${secret}&issuer=${plain(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
  return `otpauth://totp/${plain(issuer)}:${plain(account)}?${query}`;
}
