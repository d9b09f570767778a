import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Context } from '../../database/context.ts';
import { widerNetworkOf } from '../../http/network-of.ts';
import { WorkerThread } from '../../platform/worker-thread.ts';
import { isKnownHash } from './foreign-hashes.ts';
import { HashingQueue, type Lane } from './hashing-queue.ts';
import type { HashingPriority, HashingQuestion } from './hashing-thread.ts';
import { currentCost, isCurrentArgon2, readArgon2, writeArgon2 } from './password-hash.ts';

type Thread = Pick<WorkerThread<HashingQuestion, string | boolean>, 'ask' | 'load' | 'end'>;

/** Of the time that a thread takes for one password, how much the last one counts. */
const newest = 0.5;
/** A thread that was slow is tried again after a while: each password that it is not asked for makes it seem quicker. */
const forgiving = 0.95;

const startThread = (priority: HashingPriority): Thread =>
  new WorkerThread('hashing-thread', import.meta.url, { data: priority });

/** Threads that hash passwords. All but the first run at low priority, so that many sign-ins slow nothing else down. */
export class HashingThreads {
  readonly #threads: { readonly thread: Thread; ms: number }[];

  constructor(count: number, start: (priority: HashingPriority) => Thread = startThread) {
    this.#threads = Array.from({ length: count }, (_, n) => ({
      thread: start(n === 0 ? 'normal' : 'gives way'),
      ms: 1,
    }));
  }

  async ask<T extends string | boolean>(question: HashingQuestion): Promise<T> {
    const expected = ({ thread, ms }: { thread: Thread; ms: number }) => (thread.load + 1) * ms;
    const quickest = this.#threads.reduce((a, b) => (expected(b) < expected(a) ? b : a));
    for (const other of this.#threads) if (other !== quickest) other.ms *= forgiving;
    const before = quickest.thread.load;
    const begun = performance.now();
    const answer = await quickest.thread.ask(question);
    const each = (performance.now() - begun) / (before + 1);
    quickest.ms = quickest.ms * (1 - newest) + each * newest;
    return answer as T;
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.end()));
  }
}

/** Longer ones are refused before hashing, so that a caller cannot choose the cost. */
export const longestPasswordBytes = 1024;

export interface Passwords {
  /** `address` is of whom asks: networks take turns. */
  hash(password: string, address?: string | null): Promise<string>;
  /** For who waits to be signed in: the stored hash was of earlier parameters. */
  hashAnew(password: string, address?: string | null): Promise<string>;
  verify(password: string, hash: string, address?: string | null): Promise<boolean>;
  /** Costs what `verify` costs, for users who do not exist: timing must not reveal who does. */
  verifyNothing(password: string, address?: string | null): Promise<false>;
  /** True for hashes of other systems and of earlier parameters: the next sign-in replaces them. */
  needsRehash(hash: string): boolean;
  /** Whether somebody who comes now would be served. */
  hasRoom(): boolean;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** As many waiting for each core as are done in about four seconds: who comes later is better told to come back. */
const waitingPerCore = 100;
/** One being hashed, and one that the thread finds waiting when it is done. */
const atOnce = 2;

/** Passwords are hashed by threads of their own, so that neither this one nor a signature ever waits for them. */
export function createPasswords({ config, metrics }: Pick<Context, 'config' | 'metrics'>): Passwords {
  // Workers of one machine share its cores.
  const cores = Math.ceil(availableParallelism() / config.workers);
  const limits = { running: atOnce * cores, waiting: waitingPerCore * cores };
  const queue = new HashingQueue(limits, (jobs) => metrics.passwordQueue.set(jobs));
  const threads = new HashingThreads(cores);
  const ask = <T extends string | boolean>(lane: Lane, address: string | null, question: HashingQuestion): Promise<T> =>
    // Otherwise a caller with many small networks would get as many turns.
    queue.run(lane, widerNetworkOf(address ?? 'the service itself'), () => threads.ask<T>(question));
  const hashIn = (lane: Lane, password: string, address: string | null) =>
    ask<string>(lane, address, { kind: 'hash', password: password.normalize('NFC') });
  return {
    hash: (password, address = null) => hashIn('other', password, address),
    hashAnew: (password, address = null) => hashIn('sign-in', password, address),
    async verify(password, hash, address = null) {
      if (isTooLong(password) || !isKnownHash(hash)) return false;
      return ask<boolean>('sign-in', address, { kind: 'verify', password, hash });
    },
    async verifyNothing(password, address = null) {
      if (!isTooLong(password)) await ask('sign-in', address, { kind: 'verify', password, hash: nobody });
      return false;
    },
    needsRehash(hash) {
      const known = readArgon2(hash);
      return known === undefined || !isCurrentArgon2(known);
    },
    hasRoom: () => queue.hasRoom,
    close: () => threads.end(),
  };
}

/** A tag that no password has a real chance to match, at the current cost. */
const nobody = writeArgon2({ algorithm: 'argon2id', ...currentCost, salt: Buffer.alloc(16), tag: Buffer.alloc(32) });

/** The salt of all who have no password. No random salt equals it. */
const saltOfNone = Buffer.from('has no password.');

/** For a user without a password: the hash of a random one, so that checking it takes as long. */
export const unusablePassword = (): string =>
  writeArgon2({ algorithm: 'argon2id', ...currentCost, salt: saltOfNone, tag: randomBytes(32) });

/** False for a user who was given none. */
export const hasPassword = (hash: string): boolean => readArgon2(hash)?.salt.equals(saltOfNone) !== true;

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > longestPasswordBytes;

/** For `/health/ready`. A storm from one network does not fill the queue for others, and does not show here. */
export const queueCheck = ({ hasRoom }: Pick<Passwords, 'hasRoom'>) => ({
  name: 'queue',
  async check() {
    if (!hasRoom()) throw new Error('the queue of passwords is full');
  },
});
