import type { Command } from 'commander';
import { loadConfig } from '../../config.ts';
import { createLog } from '../../log.ts';
import type { RunningGatehouse } from '../../start.ts';
import { announce } from '../terminal/announce.ts';
import { giveBackMemory } from '../terminal/give-back-memory.ts';
import { startUnlessStopped, stopAndExit, stopRequested } from '../terminal/stopping.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Start the service. Makes what is missing: the database, the keys, an administrator.')
    .option('--host <host>', 'the address to listen on (HOST)')
    .option('--port <port>', 'the port to listen on (PORT)')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse serve\n  gatehouse serve --port 8080\n  DATABASE_URL=postgres://gatehouse:secret@db/gatehouse gatehouse serve',
    )
    .action(async (flags: { host?: string; port?: string }) => {
      const requested = stopRequested();
      const forPeople = process.stdout.isTTY === true;
      const service = await startUnlessStopped(start(flags, forPeople), requested);
      announce(service, forPeople);
      setTimeout(giveBackMemory, 200).unref();
      await stopAndExit(service, await requested);
    });
}

async function start(flags: { host?: string; port?: string }, forPeople: boolean): Promise<RunningGatehouse> {
  // Here and not above: the other commands need none of it, and start the sooner.
  const { startGatehouse } = await import('../../start.ts');
  const config = await loadConfig(flags);
  return startGatehouse(config, { log: createLog(config.logLevel, forPeople) });
}
