import { randomBytes } from 'node:crypto';

/** Hex digits for one id: the start of its sequence, and its random part. */
const perId = 20;
const poolBytes = 100 * (perId / 2);
let randomHex = '';
let used = 0;
let lastMs = 0;
let time = '';
let sequence = 0;

/** UUIDv7 (RFC 9562): ordered by time, and by call within one millisecond of one process, so that ids index well. */
export function uuidv7(now = Date.now()): string {
  if (used >= randomHex.length) {
    randomHex = randomBytes(poolBytes).toString('hex');
    used = 0;
  }
  const at = used;
  used += perId;
  if (now > lastMs) {
    moveTo(now);
    sequence = Number.parseInt(randomHex.slice(at, at + 4), 16) & 0x7ff;
  } else if (++sequence > 0xfff) {
    moveTo(lastMs + 1);
    sequence = 0;
  }
  const version = (0x7000 + sequence).toString(16);
  const variant = '89ab'[Number.parseInt(randomHex.charAt(at + 4), 16) & 3];
  return `${time}-${version}-${variant}${randomHex.slice(at + 5, at + 8)}-${randomHex.slice(at + 8, at + 20)}`;
}

function moveTo(ms: number): void {
  lastMs = ms;
  const hex = ms.toString(16).padStart(12, '0');
  time = `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

export const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value);
