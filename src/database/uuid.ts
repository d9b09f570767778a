import { randomBytes } from 'node:crypto';

/** Hex digits for one id: the start of its sequence, and its random part. */
const digitsPerId = 20;
const poolBytes = 100 * (digitsPerId / 2);
let randomHex = '';
let usedDigits = 0;
let lastMs = 0;
let time = '';
let sequence = 0;

/** UUIDv7 (RFC 9562): ordered by time, and by call within one millisecond of one process, so that ids index well. */
export function uuidv7(now = Date.now()): string {
  if (usedDigits >= randomHex.length) {
    randomHex = randomBytes(poolBytes).toString('hex');
    usedDigits = 0;
  }
  const offset = usedDigits;
  usedDigits += digitsPerId;
  if (now > lastMs) {
    setTime(now);
    sequence = Number.parseInt(randomHex.slice(offset, offset + 4), 16) & 0x7ff;
  } else if (++sequence > 0xfff) {
    setTime(lastMs + 1);
    sequence = 0;
  }
  const version = (0x7000 + sequence).toString(16);
  const variant = '89ab'[Number.parseInt(randomHex.charAt(offset + 4), 16) & 3];
  return `${time}-${version}-${variant}${randomHex.slice(offset + 5, offset + 8)}-${randomHex.slice(offset + 8, offset + 20)}`;
}

function setTime(ms: number): void {
  lastMs = ms;
  const hex = ms.toString(16).padStart(12, '0');
  time = `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

export const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value);
