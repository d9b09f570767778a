import { availableParallelism } from 'node:os';
import type { Context } from '../context.ts';
import { WorkerThread } from '../worker-thread.ts';
import { BoundedQueue } from './bounded-queue.ts';
import type { HashingQuestion } from './hashing-thread.ts';
import { currentCost, isCurrentArgon2, readArgon2, writeArgon2 } from './password-hash.ts';
import { isKnownHash } from './stored-hash.ts';

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
/** One being hashed, and one that the thread finds waiting when it is done. */
const atOnce = 2;

/** Passwords are hashed by threads of their own, so that neither this one nor a signature ever waits for them. */
export function createPasswords({ metrics }: Pick<Context, 'metrics'>): Passwords {
  const cores = availableParallelism();
  const queue = new BoundedQueue(atOnce * cores, waitingPerCore * cores, (jobs) => metrics.passwordQueue.set(jobs));
  const threads = Array.from(
    { length: cores },
    () => new WorkerThread<HashingQuestion, string | boolean>('hashing-thread', import.meta.url),
  );
  const ask = <T extends string | boolean>(question: HashingQuestion): Promise<T> =>
    queue.run(() => {
      const idlest = threads.reduce((a, b) => (b.load < a.load ? b : a));
      return idlest.ask(question) as Promise<T>;
    });
  return {
    hash: (password) => ask({ kind: 'hash', password: password.normalize('NFC') }),
    async verify(password, hash) {
      return !isTooLong(password) && isKnownHash(hash) && ask<boolean>({ kind: 'verify', password, hash });
    },
    async verifyNothing(password) {
      if (!isTooLong(password)) await ask({ kind: 'verify', password, hash: nobody });
      return false;
    },
    needsRehash(hash) {
      const known = readArgon2(hash);
      return known === undefined || !isCurrentArgon2(known);
    },
  };
}

/** A tag that no password has a real chance to match, at the current cost. */
const nobody = writeArgon2({ algorithm: 'argon2id', ...currentCost, salt: Buffer.alloc(16), tag: Buffer.alloc(32) });

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > longestPasswordBytes;
