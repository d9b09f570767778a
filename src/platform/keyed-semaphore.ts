import { unavailable } from './errors.ts';
import { getOrCreate } from './get-or-create.ts';

interface Limits {
  /** Jobs of one key that run at a time, and that may wait. */
  readonly concurrency: number;
  readonly maxWaiting: number;
  /** Milliseconds that a job may wait. */
  readonly timeoutMs?: number;
  readonly message?: string;
}

interface Semaphore {
  running: number;
  readonly queue: Set<() => void>;
}

export type KeyedSemaphore = ReturnType<typeof createKeyedSemaphore>;

/** Returns a function that runs a few jobs per key at a time. */
export function createKeyedSemaphore({ concurrency, maxWaiting, timeoutMs, message }: Limits) {
  const semaphores = new Map<string, Semaphore>();
  const full = () =>
    unavailable(
      message ?? 'Too many sign-ins at once. Try again shortly.',
      2,
      'the queue of one account, address or client is full',
    );

  async function awaitTurn(queue: Semaphore['queue']): Promise<void> {
    if (queue.size >= maxWaiting) throw full();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.add(resolve);
    const giveUp = () => queue.delete(resolve) && reject(full());
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
    await promise.finally(() => clearTimeout(timer));
  }

  return async <T>(key: string, job: () => Promise<T>): Promise<T> => {
    const semaphore = getOrCreate(semaphores, key, (): Semaphore => ({ running: 0, queue: new Set() }));
    const { queue } = semaphore;
    if (semaphore.running < concurrency) semaphore.running++;
    else await awaitTurn(queue);
    try {
      return await job();
    } finally {
      // The slot passes to the next job, so that no new job can take it.
      const [next] = queue;
      if (next) {
        queue.delete(next);
        next();
      } else if (--semaphore.running === 0) semaphores.delete(key);
    }
  };
}
