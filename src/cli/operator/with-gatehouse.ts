import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../config/config.ts';
import type { PreparedGatehouse, StartOptions } from '../../main/start.ts';
import { commandLog } from '../../platform/log.ts';
import { terminalProgressBar } from '../terminal/progress-bar.ts';

/** Runs work with the whole service on the configured database. It serves no requests and runs no queued jobs. */
export const withGatehouse = async <T>(work: (gatehouse: PreparedGatehouse) => Promise<T>): Promise<T> =>
  prepareFor(await loadConfig(), { progress: terminalProgressBar }, work);

/** A complete start without listening, on an empty database in a temporary folder. */
export async function tryStart<T>(config: Config, inspect: (prepared: PreparedGatehouse) => T): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
  try {
    const trial = { ...config, eventsLog: '', dataDir: dir, databaseUrl: `sqlite:${join(dir, 'check.db')}` };
    return await prepareFor(trial, {}, async (prepared) => {
      const { compileRoutes } = await import('../../main/start.ts');
      await compileRoutes(prepared.app);
      return inspect(prepared);
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function prepareFor<T>(
  config: Config,
  options: Omit<StartOptions, 'log'>,
  work: (gatehouse: PreparedGatehouse) => Promise<T>,
): Promise<T> {
  const { prepareGatehouse } = await import('../../main/start.ts');
  const gatehouse = await prepareGatehouse(config, { log: commandLog(), ...options });
  try {
    return await work(gatehouse);
  } finally {
    await gatehouse.stop();
  }
}
