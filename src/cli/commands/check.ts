import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import pino from 'pino';
import { type Config, loadConfig } from '../../config.ts';
import { createLog } from '../../log.ts';

export function addCheck(program: Command): void {
  program
    .command('check')
    .description(
      'Read settings, declarations and views as a start would. Changes nothing; exits with 1 where something is wrong.',
    )
    .action(async () => {
      const config = await loadConfig();
      await tryStart(config);
      console.log('Settings, resources and views are fine.');
    });
}

/** All of a start but the listening, on an empty database in a folder that is thrown away. */
async function tryStart(config: Config): Promise<void> {
  const { prepareGatehouse } = await import('../../start.ts');
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
  try {
    const log = createLog('warn', process.stderr.isTTY === true, pino.destination({ dest: 2, sync: true }));
    const trial = { ...config, eventsLog: '', dataDir: dir, databaseUrl: `sqlite:${join(dir, 'check.db')}` };
    await (await prepareGatehouse(trial, { log })).stop();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
