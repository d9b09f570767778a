import { Command, CommanderError } from 'commander';
import { serviceVersion } from '../platform/version.ts';
import { addServe } from './serve.ts';
import { explain } from './terminal/explain.ts';
import { paint, paintError } from './terminal/paint.ts';
import { printableLines } from './terminal/table.ts';
import { UsageError } from './terminal/usage-error.ts';

/** Every command, for the command line and for its reference. `serve` alone loads faster, for the start of the service. */
export async function createProgram(only?: 'serve'): Promise<Command> {
  const program = new Command('gatehouse')
    .description('An OAuth 2.0 and OpenID Connect server and a REST API in one program.')
    .version(serviceVersion)
    .exitOverride()
    .configureHelp({ styleTitle: (title) => paint('bold', title), subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(paintError('red', formatCommanderError(text))) })
    .addHelpText(
      'after',
      '\nOptions and examples of a command: gatehouse COMMAND --help\nSettings: the environment, .env, gatehouse.config.ts (docs/configuration.md)',
    );
  if (only) addServe(program);
  else (await import('../../extensions/all-commands.ts')).addCommands(program);
  showUsageAfterErrors(program);
  return program;
}

/** After an error, every command shows its usage. */
function showUsageAfterErrors(command: Command): void {
  command.showHelpAfterError(usageOf(command));
  for (const subcommand of command.commands) showUsageAfterErrors(subcommand);
}

function usageOf(command: Command): string {
  const names: string[] = [];
  for (let ancestor: Command | null = command; ancestor; ancestor = ancestor.parent) names.unshift(ancestor.name());
  const path = names.join(' ');
  return `Usage: ${path} ${command.usage()}\nMore: ${path} --help`;
}

/** Formats Commander's errors like all other errors: a sentence after the name of the program. */
const formatCommanderError = (text: string): string =>
  text.replace(/^error: /, 'gatehouse: ').replace(/\n\(Did you mean (.+)\?\)/, ' – did you mean $1?');

/** Runs the command line. Returns 0 on success, 1 on failure, 2 on wrong usage. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const program = await createProgram(args[0] === 'serve' ? 'serve' : undefined);
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
