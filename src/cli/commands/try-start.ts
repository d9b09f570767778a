import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { Config } from '../../config/config.ts';
import type { PreparedGatehouse } from '../../main/start.ts';
import { createLog } from '../../platform/log.ts';

/** A complete start without listening, on an empty database in a temporary folder. */
export async function tryStart<T>(config: Config, inspect: (prepared: PreparedGatehouse) => T): Promise<T> {
  const { compileRoutes, prepareGatehouse } = await import('../../main/start.ts');
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
  try {
    const log = createLog('warn', process.stderr.isTTY === true, pino.destination({ dest: 2, sync: true }));
    const trial = { ...config, eventsLog: '', dataDir: dir, databaseUrl: `sqlite:${join(dir, 'check.db')}` };
    const prepared = await prepareGatehouse(trial, { log });
    try {
      await compileRoutes(prepared.app);
      return inspect(prepared);
    } finally {
      await prepared.stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
