import { argon2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
export const currentCost = { memory: 19_456, passes: 2, parallelism: 1 } as const;

const tagLength = 32;

/** The highest accepted cost: a single imported row must not overload the machine. */
const maxCost = { memory: 1_048_576, passes: 32, parallelism: 16 };

interface Argon2Hash {
  readonly algorithm: 'argon2i' | 'argon2id';
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const phc =
  /^\$(argon2id?)\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,128})={0,2}\$([A-Za-z0-9+/]{16,128})={0,2}$/;

/** Reads the PHC string format, `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. Undefined for other formats. */
export function readArgon2(hash: string): Argon2Hash | undefined {
  const match = phc.exec(hash);
  if (!match) return undefined;
  const [, algorithm, m, t, p, salt = '', tag = ''] = match;
  const read: Argon2Hash = {
    algorithm: algorithm === 'argon2i' ? algorithm : 'argon2id',
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const affordable =
    read.memory <= maxCost.memory &&
    read.passes <= maxCost.passes &&
    read.parallelism <= maxCost.parallelism &&
    read.passes >= 1 &&
    read.parallelism >= 1 &&
    read.memory >= 8 * read.parallelism;
  return affordable ? read : undefined;
}

export function writeArgon2({ algorithm, memory, passes, parallelism, salt, tag }: Argon2Hash): string {
  const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$${algorithm}$v=19$m=${memory},t=${passes},p=${parallelism}$${bare(salt)}$${bare(tag)}`;
}

export function makeArgon2(password: Buffer): Argon2Hash {
  const unfinished = {
    algorithm: 'argon2id',
    ...currentCost,
    salt: randomBytes(16),
    tag: Buffer.alloc(tagLength),
  } as const;
  return { ...unfinished, tag: deriveTag(password, unfinished) };
}

export const matchesArgon2 = (password: Buffer, hash: Argon2Hash): boolean =>
  timingSafeEqual(deriveTag(password, hash), hash.tag);

export const isCurrentArgon2 = (hash: Argon2Hash): boolean =>
  hash.algorithm === 'argon2id' &&
  hash.memory === currentCost.memory &&
  hash.passes === currentCost.passes &&
  hash.parallelism === currentCost.parallelism &&
  hash.salt.length >= 16 &&
  hash.tag.length === tagLength;

const deriveTag = (message: Buffer, { algorithm, memory, passes, parallelism, salt, tag }: Argon2Hash): Buffer =>
  argon2Sync(algorithm, { message, nonce: salt, memory, passes, parallelism, tagLength: tag.length });
