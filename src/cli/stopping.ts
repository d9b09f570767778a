import type { Logger } from 'pino';
import type { RunningGatehouse } from '../start.ts';

/** What is under way may take this long to finish; then the process ends all the same. */
const patience = 10_000;

/**
 * Resolves when the process is asked to stop, by a signal or by the death of the wrapper that started it: a wrapper that
 * dies without a word must not leave a server behind that holds the port. Listens from the call on, so that a request to
 * stop is heard while the service is still starting.
 */
export function askedToStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    process.once('disconnect', () => resolve('the wrapper is gone'));
  });
}

/** Finishes what is under way and ends the process. */
export async function stopAndExit(service: RunningGatehouse, cause: string, log: Logger): Promise<never> {
  log.info({ cause }, 'stopping');
  const deadline = setTimeout(() => {
    log.warn('some requests did not finish in time');
    process.exit(0);
  }, patience);
  await service.stop();
  clearTimeout(deadline);
  log.info('stopped');
  // Nothing is left to do, whatever handle a library still holds.
  process.exit(0);
}
