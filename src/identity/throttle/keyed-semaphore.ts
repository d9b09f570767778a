import { unavailable } from '../../platform/errors.ts';
import { getOrCreate } from '../../platform/get-or-create.ts';

/** Returns a function that runs a few attempts per key concurrently. Otherwise parallel right passwords would count as failures. */
export function createKeyedSemaphore(
  atATime: number,
  waiting: number,
  message = 'Too many sign-ins at once. Try again shortly.',
) {
  const keys = new Map<string, { inside: number; line: (() => void)[] }>();
  return async <T>(key: string, job: () => Promise<T>): Promise<T> => {
    const gate = getOrCreate(keys, key, () => ({ inside: 0, line: [] }));
    if (gate.inside < atATime) gate.inside++;
    else {
      if (gate.line.length >= waiting) {
        throw unavailable(message, 2, 'the line of one account, address or client is full');
      }
      await new Promise<void>((resolve) => gate.line.push(resolve));
    }
    try {
      return await job();
    } finally {
      const next = gate.line.shift();
      if (next) next();
      else if (--gate.inside === 0) keys.delete(key);
    }
  };
}
