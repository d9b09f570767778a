import type { Logger } from 'pino';
import type { RunningGatehouse } from '../start.ts';

/** What is under way may take this long to finish; then the process ends all the same. */
const patience = 10_000;

/**
 * Returns once the service was asked to stop, by a signal or by the death of the wrapper that started it, and has
 * stopped. A wrapper that dies without a word must not leave a server behind that holds the port.
 */
export async function untilAskedToStop(service: RunningGatehouse, log: Logger): Promise<void> {
  const cause = await new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    process.once('disconnect', () => resolve('the wrapper is gone'));
  });
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
