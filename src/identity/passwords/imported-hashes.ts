import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import { matchesArgon2, readArgon2 } from './password-hash.ts';

/** Slow and synchronous: for worker threads only. */
export type Verify = (password: string) => boolean;

/** The highest accepted cost: a single imported row must not overload the machine. */
const maxBcryptCost = 15;
const maxIterations = 10_000_000;
const maxScryptBytes = 1024 * 1024 * 1024;

interface Format {
  readonly pattern: RegExp;
  /** Reads the groups of the pattern. Undefined if the cost is too high. */
  read(groups: readonly string[], hash: string): Verify | undefined;
}

const formats: readonly Format[] = [
  {
    // The crypt(3) format of PHP, Ruby, Python and Java.
    pattern: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/,
    read([cost], hash) {
      const rounds = Number(cost);
      return rounds >= 4 && rounds <= maxBcryptCost ? (password) => matchesBcrypt(password, hash) : undefined;
    },
  },
  {
    // Django: pbkdf2_sha256$iterations$salt$base64
    pattern: /^pbkdf2_sha256\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]{43}=)$/,
    read([iterations, salt = '', tag]) {
      const times = Number(iterations);
      if (times < 1 || times > maxIterations) return undefined;
      return (password) => derivesPbkdf2(password, salt, times, fromBase64(tag));
    },
  },
  {
    // Django: scrypt$salt$N$r$p$base64
    pattern: /^scrypt\$([^$]{1,128})\$(\d{1,9})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/]{22,128}={0,2})$/,
    read: ([salt = '', n, r, p, tag]) => verifyScrypt(Buffer.from(salt), Number(n), Number(r), Number(p), tag),
  },
  {
    // The PHC format of passlib: $scrypt$ln=16,r=8,p=1$salt$tag
    pattern: /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{1,128})\$([A-Za-z0-9+/]{22,128})$/,
    read: ([ln, r, p, salt, tag]) => verifyScrypt(fromBase64(salt), 2 ** Number(ln), Number(r), Number(p), tag),
  },
];

/** Returns a function that checks a password against another system's hash. Undefined if the format is unknown. */
function readForeignHash(hash: string): Verify | undefined {
  for (const { pattern, read } of formats) {
    const match = pattern.exec(hash);
    if (match) return read(match.slice(1), hash);
  }
  return undefined;
}

const fromBase64 = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');

/** Node has no bcrypt. The package is loaded with the first such hash. */
function matchesBcrypt(password: string, hash: string): boolean {
  const { compareSync } = createRequire(import.meta.url)('bcryptjs') as typeof import('bcryptjs');
  return compareSync(password, hash);
}

const derivesPbkdf2 = (password: string, salt: string, iterations: number, tag: Buffer): boolean =>
  timingSafeEqual(pbkdf2Sync(password, salt, iterations, tag.length, 'sha256'), tag);

function verifyScrypt(salt: Buffer, N: number, r: number, p: number, encoded: string | undefined): Verify | undefined {
  const memory = 128 * N * r + 128 * r * p;
  const isPowerOfTwo = N > 1 && Number.isInteger(Math.log2(N));
  if (!isPowerOfTwo || r < 1 || p < 1 || p > 16 || memory > maxScryptBytes) return undefined;
  const tag = fromBase64(encoded);
  return (password) => timingSafeEqual(scryptSync(password, salt, tag.length, { N, r, p, maxmem: memory * 2 }), tag);
}

/** Reads our own format or a format of another system. Undefined if the format is unknown. */
function readHash(hash: string): Verify | undefined {
  const argon2 = readArgon2(hash);
  return argon2 ? (password) => matchesArgon2(Buffer.from(password), argon2) : readForeignHash(hash);
}

/** Whether this service can check a hash of this format. Called before users are imported. */
export const isKnownHash = (hash: string): boolean => readHash(hash) !== undefined;

/** Slow by design. Our own hashes are of NFC text. Other systems may have hashed the text as typed. */
export function matchesHash(password: string, hash: string): boolean {
  const matches = readHash(hash);
  if (!matches) return false;
  const normalized = password.normalize('NFC');
  return matches(normalized) || (normalized !== password && matches(password));
}
