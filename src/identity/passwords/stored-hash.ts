import { readForeignHash, type Verify } from './foreign-hashes.ts';
import { matchesArgon2, readArgon2 } from './password-hash.ts';

/** Ours, or one of the forms that other systems write; undefined when it is none of them. */
function readHash(hash: string): Verify | undefined {
  const argon2 = readArgon2(hash);
  return argon2 ? (password) => matchesArgon2(Buffer.from(password), argon2) : readForeignHash(hash);
}

/** Whether a stored hash of this form can be checked here: asked before users of another system are taken over. */
export const isKnownHash = (hash: string): boolean => readHash(hash) !== undefined;

/**
 * Whether the hash is of this password. Slow by intent. The same letters typed on another
 * keyboard are the same password, so ours are hashed in NFC; another system may have taken them as they came.
 */
export function matchesHash(password: string, hash: string): boolean {
  const matches = readHash(hash);
  if (!matches) return false;
  const composed = password.normalize('NFC');
  return matches(composed) || (composed !== password && matches(password));
}
