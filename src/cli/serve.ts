import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Command } from 'commander';
import { loadConfig } from '../config/config.ts';
import { loadSupervisor, loadWorker } from '../main/open-workers.ts';
import type { RunningService } from '../main/start.ts';
import { createLog } from '../platform/log.ts';
import { explain } from './terminal/explain.ts';
import { readPort } from './terminal/option-values.ts';
import { printAddresses } from './terminal/print-addresses.ts';
import { terminalProgressBar } from './terminal/progress-bar.ts';
import { startUnlessStopped, stopAndExit, stopRequested, stopTimeoutMs } from './terminal/stopping.ts';

/**
 * By default, V8 optimizes a function after 3,000 calls, and inlines few other functions into it. A request calls many small functions,
 * so the service would reach its full speed only after tens of thousands of requests (docs/reference/performance-evidence.md). V8 reports an
 * unknown flag on stderr and continues.
 */
export const compilerFlags = ['--invocation-count-for-turbofan=300', '--max-inlined-bytecode-size-cumulative=2500'];

/** After the start, because V8 rejects cached code if its flags have changed. */
function tuneV8(): void {
  for (const flag of compilerFlags) setFlagsFromString(flag);
  collectGarbage();
}

/** Otherwise V8 would keep the memory that only the start needed. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('Start the service.')
    .description('Start the service. Creates the database, the keys and an administrator if they are missing.')
    .option('--host <host>', 'the address to listen on (HOST)')
    .option('--port <port>', 'the port to listen on (PORT)', readPort)
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse serve\n  gatehouse serve --port 8080\n  DATABASE_URL=postgres://gatehouse:secret@db/gatehouse gatehouse serve',
    )
    .action(async (flags: Flags) => {
      const isTerminal = process.stdout.isTTY === true;
      if (cluster.isWorker) return serveAsWorker(flags, isTerminal);
      const requested = stopRequested();
      const service = await startUnlessStopped(start(flags, isTerminal), requested);
      await printAddresses(service, isTerminal);
      setTimeout(tuneV8, 200).unref();
      await stopAndExit(service, await requested);
    });
}

interface Flags {
  readonly host?: string;
  readonly port?: string;
}

// Imported here so that the other commands, which do not need these modules, start faster.

async function start(flags: Flags, isTerminal: boolean): Promise<RunningService> {
  const config = await loadConfig({ ...flags });
  const log = createLog(config.logLevel, isTerminal);
  if (config.workers > 1) return (await loadSupervisor()).startWorkers(config, log);
  const { startGatehouse } = await import('../main/start.ts');
  return startGatehouse(config, { log, progress: terminalProgressBar });
}

/** Runs until the primary process stops it. */
async function serveAsWorker(flags: Flags, isTerminal: boolean): Promise<never> {
  const { runWorker } = await loadWorker();
  const config = await loadConfig({ ...flags });
  const log = createLog(config.logLevel, isTerminal).child({ worker: cluster.worker?.id });
  await runWorker(config, { log, explain, stopTimeoutMs, progress: terminalProgressBar });
  setTimeout(tuneV8, 200).unref();
  return new Promise(() => undefined);
}
