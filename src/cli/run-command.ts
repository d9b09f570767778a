import { Command, CommanderError } from 'commander';
import { OperatorError } from '../errors.ts';
import { addServe } from './serve.ts';

/** The command line: 0 when it worked, 1 when it failed, 2 when it was called wrongly. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const program = new Command('gatehouse')
    .description('An OAuth 2.0 server and a REST API in one program.')
    .exitOverride()
    .showHelpAfterError('(add --help for what it takes)');
  addServe(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said what was wrong already; help and version are no failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof OperatorError) console.error(`gatehouse: ${error.message}`);
    else console.error(error);
    return 1;
  }
}
