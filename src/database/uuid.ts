import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafe(1600);
let used = pool.length;
let lastMs = 0;
let sequence = 0;

/** UUIDv7 (RFC 9562): ordered by time, and by call within one millisecond of one process, so that ids index well. */
export function uuidv7(now = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + 16);
  used += 16;
  if (now > lastMs) {
    lastMs = now;
    sequence = random.readUInt16BE(0) & 0x7ff;
  } else {
    sequence++;
    if (sequence > 0xfff) {
      lastMs++;
      sequence = 0;
    }
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const hex = random.toString('hex', 6, 16);
  const variant = ((Number.parseInt(hex[0] as string, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${variant}${hex.slice(1, 4)}-${hex.slice(4, 16)}`;
}

export const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value);
