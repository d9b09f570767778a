import { unavailable } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';

/** Returns a function that runs a few attempts per key concurrently. Otherwise parallel right passwords would count as failures. */
export function createKeyedSemaphore(
  concurrency: number,
  maxWaiting: number,
  message = 'Too many sign-ins at once. Try again shortly.',
) {
  const semaphores = new Map<string, { running: number; queue: (() => void)[] }>();
  return async <T>(key: string, job: () => Promise<T>): Promise<T> => {
    const semaphore = getOrCreate(semaphores, key, () => ({ running: 0, queue: [] }));
    if (semaphore.running < concurrency) semaphore.running++;
    else {
      if (semaphore.queue.length >= maxWaiting) {
        throw unavailable(message, 2, 'the line of one account, address or client is full');
      }
      await new Promise<void>((resolve) => semaphore.queue.push(resolve));
    }
    try {
      return await job();
    } finally {
      const next = semaphore.queue.shift();
      if (next) next();
      else if (--semaphore.running === 0) semaphores.delete(key);
    }
  };
}
