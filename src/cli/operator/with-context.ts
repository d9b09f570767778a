import { type Config, loadConfig } from '../../config/config.ts';
import type { Context } from '../../database/context.ts';
import { migrate } from '../../database/migrate.ts';
import { openDatabase } from '../../database/open-database.ts';
import { openEventsLog } from '../../main/open-events-log.ts';
import { commandLog } from '../../platform/log.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { terminalProgressBar } from '../terminal/progress-bar.ts';

/** Runs a command on the configured database after its migrations. A server may run at the same time. */
export const withContext = async <T>(work: (context: Context) => Promise<T>) => withContextOf(await loadConfig(), work);

export async function withContextOf<T>(config: Config, work: (context: Context) => Promise<T>): Promise<T> {
  const database = await openDatabase(config);
  try {
    const log = commandLog();
    await migrate(database, database.now, (line) => log.warn(line), terminalProgressBar);
    const eventsLog = await openEventsLog({ config, database, log });
    try {
      return await work({ config, database, log, metrics: createMetrics(), eventsLog, now: database.now });
    } finally {
      await eventsLog?.close();
    }
  } finally {
    await database.close();
  }
}
