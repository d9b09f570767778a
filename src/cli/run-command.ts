import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { loadCommands } from '../main/extension-commands.ts';
import { addLogin } from './account/login.ts';
import { addLogout, addToken } from './account/token.ts';
import { addBackup } from './commands/backup.ts';
import { addCheck } from './commands/check.ts';
import { clientCommands } from './commands/client-commands.ts';
import { addClientCreate } from './commands/client-create.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEject } from './commands/eject.ts';
import { addEvents } from './commands/events.ts';
import { addInit } from './commands/init.ts';
import { jobCommands } from './commands/job-commands.ts';
import { keysCommands } from './commands/keys-commands.ts';
import { addMigrate } from './commands/migrate.ts';
import { addRestore } from './commands/restore.ts';
import { addSeed } from './commands/seed.ts';
import { addServe } from './commands/serve.ts';
import { sessionCommands } from './commands/session-commands.ts';
import { addTypes } from './commands/types.ts';
import { userCommands } from './commands/user-commands.ts';
import { addUserImport } from './commands/user-import.ts';
import { addWebhooksListen } from './commands/webhooks-listen.ts';
import { explain } from './terminal/explain.ts';
import { paint, paintError } from './terminal/paint.ts';
import { printableLines } from './terminal/table.ts';
import { UsageError } from './terminal/usage-error.ts';

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

const groups: readonly [name: string, description: string, ...((group: Command) => void)[]][] = [
  ['user', 'Create and manage users.', ...userCommands, addUserImport],
  ['client', 'Create and manage clients.', addClientCreate, ...clientCommands],
  ['session', 'List and end sessions.', ...sessionCommands],
  ['webhooks', 'Try webhooks.', addWebhooksListen],
  ['job', 'List and run your own jobs.', ...jobCommands],
  ['keys', 'Manage the keys that sign tokens.', ...keysCommands],
];

/** Every command, for the command line and for its reference. */
export async function createProgram(): Promise<Command> {
  const extensions = await loadCommands();
  const program = new Command('gatehouse')
    .description('An OAuth 2.0 server and a REST API in one program.')
    .version(readVersion())
    .exitOverride()
    .configureHelp({ styleTitle: (title) => paint('bold', title) })
    .configureOutput({ outputError: (text, write) => write(paintError('red', formatCommanderError(text))) })
    .addHelpText(
      'after',
      '\nOptions and examples of a command: gatehouse COMMAND --help\nSettings: the environment, .env, gatehouse.config.ts (docs/configuration.md)',
    );
  for (const add of [addInit, addServe, addDev, addCheck, addTypes, addMigrate, addSeed, addEject]) add(program);
  const all = [...groups, ['import', 'Import another service.', extensions.import] as const];
  for (const [name, description, ...commands] of all) {
    const group = program.command(name).description(description);
    for (const add of commands) add(group);
  }
  for (const add of [addLogin, addToken, addLogout]) add(program);
  for (const add of [addEvents, addBackup, addRestore, extensions.top, addDoctor]) add(program);
  sayUsage(program);
  return program;
}

/** After an error, every command shows its usage. */
function sayUsage(command: Command): void {
  command.showHelpAfterError(usageOf(command));
  for (const one of command.commands) sayUsage(one);
}

function usageOf(command: Command): string {
  const names: string[] = [];
  for (let one: Command | null = command; one; one = one.parent) names.unshift(one.name());
  const path = names.join(' ');
  return `Usage: ${path} ${command.usage()}\nMore: ${path} --help`;
}

/** Formats Commander's errors like all other errors: a sentence after the name of the program. */
const formatCommanderError = (text: string): string =>
  text.replace(/^error: /, 'gatehouse: ').replace(/\n\(Did you mean (.+)\?\)/, ' – did you mean $1?');

/** Runs the command line. Returns 0 on success, 1 on failure, 2 on wrong usage. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const program = await createProgram();
  let called = program;
  program.hook('preAction', (_, command) => {
    called = command;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the error. Help and version are not failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(paintError('red', `gatehouse: ${printableLines(explain(error))}`));
    if (!(error instanceof UsageError)) return 1;
    console.error(usageOf(called));
    return 2;
  }
}
