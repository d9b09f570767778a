import pino from 'pino';
import { loadConfig } from '../../config/config.ts';
import type { PreparedGatehouse } from '../../main/start.ts';
import { createLog } from '../../platform/log.ts';
import { terminalProgressBar } from '../terminal/progress-bar.ts';

/** Runs work with the whole service on the configured database. It serves no requests and runs no queued jobs. */
export async function withGatehouse<T>(work: (gatehouse: PreparedGatehouse) => Promise<T>): Promise<T> {
  const { prepareGatehouse } = await import('../../main/start.ts');
  // Standard output is for the result of the command.
  const log = createLog('info', process.stderr.isTTY === true, pino.destination({ dest: 2, sync: true }));
  log.level = 'warn';
  const gatehouse = await prepareGatehouse(await loadConfig(), { log, progress: terminalProgressBar });
  try {
    return await work(gatehouse);
  } finally {
    await gatehouse.stop();
  }
}
