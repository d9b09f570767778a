import { type ConfigFile, loadConfig } from './config.ts';
import { createLog } from './log.ts';
import { type RunningGatehouse, startGatehouse as startService } from './start.ts';

/** What `import … from 'gatehouse'` offers: the service as a part of a program of one's own. */
export type { RunningGatehouse } from './start.ts';
export type { ConfigFile };

/**
 * Starts the service as `gatehouse serve` does, with these settings in the place of `gatehouse.config.ts`. The environment
 * wins here too. Relative paths belong to `workingDir`.
 */
export async function startGatehouse(
  settings: ConfigFile = {},
  { workingDir = process.cwd() }: { workingDir?: string } = {},
): Promise<RunningGatehouse> {
  const config = await loadConfig({}, workingDir, settings);
  return startService(config, { log: createLog(config.logLevel, process.stdout.isTTY === true) });
}
