import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Context } from '../../database/context.ts';
import { widerNetworkOf } from '../../http/network-of.ts';
import { WorkerThread } from '../../platform/worker-thread.ts';
import { type HashingLane, HashingQueue } from './hashing-queue.ts';
import type { HashingJob, HashingPriority } from './hashing-thread.ts';
import { isKnownHash } from './imported-hashes.ts';
import { currentCost, isCurrentArgon2, readArgon2, writeArgon2 } from './password-hash.ts';

type Thread = Pick<WorkerThread<HashingJob, string | boolean>, 'request' | 'load' | 'end'>;

/** The weight of the newest measurement in the average time of a thread. */
const newest = 0.5;
/** Lowers the average of idle threads step by step, so that a slow thread is tried again. */
const idleDecay = 0.95;

const startThread = (priority: HashingPriority): Thread =>
  new WorkerThread('hashing-thread', import.meta.url, { data: priority });

interface MeasuredThread {
  readonly thread: Thread;
  /** The average time of a password. */
  ms: number;
  /** When the current password was begun. */
  busySince: number;
}

/**
 * Threads that hash passwords, at a low priority, so that many sign-ins do not slow down other work. The first gets enough time for some
 * sign-ins even while all cores are busy.
 */
export class HashingThreads {
  readonly #threads: MeasuredThread[];

  constructor(count: number, start: (priority: HashingPriority) => Thread = startThread) {
    this.#threads = Array.from({ length: count }, (_, n) => ({
      thread: start(n === 0 ? 'low' : 'lowest'),
      ms: 1,
      busySince: 0,
    }));
  }

  async request<T extends string | boolean>(job: HashingJob): Promise<T> {
    const startedAt = performance.now();
    // A starved thread reports nothing, so the time of its current password counts too.
    const expected = ({ thread: { load }, ms, busySince }: MeasuredThread) =>
      load === 0 ? ms : (load + 1) * Math.max(ms, startedAt - busySince);
    const quickest = this.#threads.reduce((a, b) => (expected(b) < expected(a) ? b : a));
    for (const other of this.#threads) if (other !== quickest) other.ms *= idleDecay;
    const before = quickest.thread.load;
    if (before === 0) quickest.busySince = startedAt;
    const response = await quickest.thread.request(job);
    quickest.busySince = performance.now();
    const each = (quickest.busySince - startedAt) / (before + 1);
    quickest.ms = quickest.ms * (1 - newest) + each * newest;
    return response as T;
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.end()));
  }
}

/** Longer passwords are rejected before hashing, so that a caller cannot choose the cost. */
export const maxPasswordBytes = 1024;

export type Passwords = ReturnType<typeof createPasswords>;

/** About four seconds of work for each core. Later jobs are rejected. */
const maxWaitingPerCore = 100;
/** One job that is being hashed, and one that waits in the thread. */
const jobsPerThread = 2;

/** Separate threads hash passwords, so that neither the main thread nor signatures wait for them. */
export function createPasswords({ config, metrics }: Pick<Context, 'config' | 'metrics'>) {
  // Workers of one machine share its cores.
  const cores = Math.ceil(availableParallelism() / config.workers);
  const limits = { running: jobsPerThread * cores, waiting: maxWaitingPerCore * cores };
  const queue = new HashingQueue(limits, (jobs) => metrics.passwordQueue.set(jobs));
  const threads = new HashingThreads(cores);
  const runInThread = <T extends string | boolean>(lane: HashingLane, address: string | null, job: HashingJob) =>
    // Otherwise a caller with many small networks would get more turns.
    queue.run(lane, widerNetworkOf(address ?? 'the service itself'), () => threads.request<T>(job));
  const hashIn = (lane: HashingLane, password: string, address: string | null) =>
    runInThread<string>(lane, address, { kind: 'hash', password: password.normalize('NFC') });
  return {
    /** `address`: the address of the requester. Networks take turns. */
    hash: (password: string, address: string | null = null) => hashIn('other', password, address),
    /** Hashes a password again during a sign-in, if the stored hash has old parameters. */
    rehash: (password: string, address: string | null = null) => hashIn('sign-in', password, address),
    async verify(password: string, hash: string, address: string | null = null): Promise<boolean> {
      if (isTooLong(password) || !isKnownHash(hash)) return false;
      return runInThread<boolean>('sign-in', address, { kind: 'verify', password, hash });
    },
    /** As expensive as `verify`, for unknown users: timing must not reveal whether a user exists. */
    async verifyForUnknownUser(password: string, address: string | null = null): Promise<false> {
      if (!isTooLong(password))
        await runInThread('sign-in', address, { kind: 'verify', password, hash: unmatchableHash });
      return false;
    },
    /** True for hashes of other systems and with old parameters. The next sign-in replaces them. */
    needsRehash(hash: string): boolean {
      const parsed = readArgon2(hash);
      return parsed === undefined || !isCurrentArgon2(parsed);
    },
    /** Whether a new job would be accepted. */
    hasRoom: () => queue.hasRoom,
    close: () => threads.end(),
  };
}

/** A tag that no password matches, at the current cost. */
const unmatchableHash = writeArgon2({
  algorithm: 'argon2id',
  ...currentCost,
  salt: Buffer.alloc(16),
  tag: Buffer.alloc(32),
});

/** Marks users without a password. No random salt equals it. */
const noPasswordSalt = Buffer.from('has no password.');

/** For a user without a password: the hash of a random password, so that a check takes the same time. */
export const unusablePassword = (): string =>
  writeArgon2({ algorithm: 'argon2id', ...currentCost, salt: noPasswordSalt, tag: randomBytes(32) });

/** False for a user without a password. */
export const hasPassword = (hash: string): boolean => readArgon2(hash)?.salt.equals(noPasswordSalt) !== true;

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > maxPasswordBytes;

/** For `/health/ready`. Many jobs from one network do not fill the queue for others, so they do not count here. */
export const hashingReadinessCheck = ({ hasRoom }: Pick<Passwords, 'hasRoom'>) => ({
  name: 'queue',
  async check() {
    if (!hasRoom()) throw new Error('the password queue is full');
  },
});
