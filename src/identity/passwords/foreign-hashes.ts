import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import { matchesArgon2, readArgon2 } from './password-hash.ts';

/** Takes as long as it takes: for threads that nothing else waits for. */
export type Verify = (password: string) => boolean;

/** No stored hash may ask for more than this: one imported row must not take the machine down. */
const highestBcryptCost = 15;
const highestIterations = 10_000_000;
const highestScryptBytes = 1024 * 1024 * 1024;

interface Format {
  readonly pattern: RegExp;
  /** From the pattern's groups; undefined when they ask for too much. */
  read(groups: readonly string[], hash: string): Verify | undefined;
}

const formats: readonly Format[] = [
  {
    // crypt(3), as PHP, Ruby, Python and Java write it.
    pattern: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/,
    read([cost], hash) {
      const rounds = Number(cost);
      return rounds >= 4 && rounds <= highestBcryptCost ? (password) => matchesBcrypt(password, hash) : undefined;
    },
  },
  {
    // Django: pbkdf2_sha256$iterations$salt$base64
    pattern: /^pbkdf2_sha256\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]{43}=)$/,
    read([iterations, salt, tag]) {
      const times = Number(iterations);
      if (times < 1 || times > highestIterations) return undefined;
      return (password) => derivesPbkdf2(password, salt as string, times, fromBase64(tag));
    },
  },
  {
    // Django: scrypt$salt$N$r$p$base64
    pattern: /^scrypt\$([^$]{1,128})\$(\d{1,9})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/]{22,128}={0,2})$/,
    read: ([salt, n, r, p, tag]) => verifyScrypt(Buffer.from(salt as string), Number(n), Number(r), Number(p), tag),
  },
  {
    // The PHC form, as passlib writes it: $scrypt$ln=16,r=8,p=1$salt$tag
    pattern: /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{1,128})\$([A-Za-z0-9+/]{22,128})$/,
    read: ([ln, r, p, salt, tag]) => verifyScrypt(fromBase64(salt), 2 ** Number(ln), Number(r), Number(p), tag),
  },
];

/** How to check a password against a hash that another system made; undefined when nobody here knows its form. */
function readForeignHash(hash: string): Verify | undefined {
  for (const { pattern, read } of formats) {
    const match = pattern.exec(hash);
    if (match) return read(match.slice(1), hash);
  }
  return undefined;
}

const fromBase64 = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');

/** The platform has no bcrypt; loaded where the first such hash is met. */
function matchesBcrypt(password: string, hash: string): boolean {
  const { compareSync } = createRequire(import.meta.url)('bcryptjs') as typeof import('bcryptjs');
  return compareSync(password, hash);
}

const derivesPbkdf2 = (password: string, salt: string, iterations: number, tag: Buffer): boolean =>
  timingSafeEqual(pbkdf2Sync(password, salt, iterations, tag.length, 'sha256'), tag);

function verifyScrypt(salt: Buffer, N: number, r: number, p: number, encoded: string | undefined): Verify | undefined {
  const memory = 128 * N * r + 128 * r * p;
  const isPowerOfTwo = N > 1 && Number.isInteger(Math.log2(N));
  if (!isPowerOfTwo || r < 1 || p < 1 || p > 16 || memory > highestScryptBytes) return undefined;
  const tag = fromBase64(encoded);
  return (password) => timingSafeEqual(scryptSync(password, salt, tag.length, { N, r, p, maxmem: memory * 2 }), tag);
}

/** Ours, or one of the forms that other systems write; undefined when it is none of them. */
function readHash(hash: string): Verify | undefined {
  const argon2 = readArgon2(hash);
  return argon2 ? (password) => matchesArgon2(Buffer.from(password), argon2) : readForeignHash(hash);
}

/** Whether a stored hash of this form can be checked here: asked before users of another system are taken over. */
export const isKnownHash = (hash: string): boolean => readHash(hash) !== undefined;

/** Slow by intent. Our own hashes are of NFC text; other systems may have hashed the text as typed. */
export function matchesHash(password: string, hash: string): boolean {
  const matches = readHash(hash);
  if (!matches) return false;
  const composed = password.normalize('NFC');
  return matches(composed) || (composed !== password && matches(password));
}
