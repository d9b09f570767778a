import { availableParallelism } from 'node:os';
import type { Context } from '../context.ts';
import { BoundedQueue } from './bounded-queue.ts';
import { readForeignHash, type Verify } from './foreign-hashes.ts';
import {
  type Argon2Hash,
  currentCost,
  isCurrentArgon2,
  makeArgon2,
  matchesArgon2,
  readArgon2,
  writeArgon2,
} from './password-hash.ts';

/** Longer ones are refused before any hashing: what a caller sends must not set what it costs. */
export const longestPasswordBytes = 1024;

export interface Passwords {
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
  /** Costs what `verify` costs, for users who do not exist: timing must not reveal who does. */
  verifyNothing(password: string): Promise<false>;
  /** True for hashes of other systems and of earlier parameters: the next sign-in replaces them. */
  needsRehash(hash: string): boolean;
}

/** As many waiting for each core as are done in about four seconds: who comes later is better told to come back. */
const waitingPerCore = 100;

export function createPasswords({ metrics }: Pick<Context, 'metrics'>): Passwords {
  const cores = availableParallelism();
  const queue = new BoundedQueue(cores, waitingPerCore * cores, (jobs) => metrics.passwordQueue.set(jobs));
  return {
    hash: (password) => queue.run(async () => writeArgon2(await makeArgon2(Buffer.from(password.normalize('NFC'))))),
    async verify(password, hash) {
      const matches = isTooLong(password) ? undefined : readHash(hash);
      return matches !== undefined && queue.run(() => matchesInEitherForm(password, matches));
    },
    async verifyNothing(password) {
      if (!isTooLong(password)) await queue.run(() => matchesArgon2(Buffer.from(password.normalize('NFC')), nobody));
      return false;
    },
    needsRehash(hash) {
      const known = readArgon2(hash);
      return known === undefined || !isCurrentArgon2(known);
    },
  };
}

/** Ours, or one of the forms that other systems write; undefined when it is none of them. */
function readHash(hash: string): Verify | undefined {
  const argon2 = readArgon2(hash);
  return argon2 ? (password) => matchesArgon2(Buffer.from(password), argon2) : readForeignHash(hash);
}

/** Whether a stored hash of this form can be checked here: asked before users of another system are taken over. */
export const isKnownHash = (hash: string): boolean => readHash(hash) !== undefined;

/**
 * The same letters typed on another keyboard are the same password, so ours are hashed in NFC. Another system may have
 * taken them as they came.
 */
async function matchesInEitherForm(password: string, matches: Verify): Promise<boolean> {
  const composed = password.normalize('NFC');
  return (await matches(composed)) || (composed !== password && matches(password));
}

/** A tag that no password has a real chance to match, at the current cost. */
const nobody: Argon2Hash = {
  algorithm: 'argon2id',
  ...currentCost,
  salt: Buffer.alloc(16),
  tag: Buffer.alloc(32),
};

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > longestPasswordBytes;
