import type { Command } from 'commander';
import { paint } from '../../src/cli/terminal/paint.ts';
import { loadConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/platform/errors.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('Run or show the pending migrations.')
    .description(
      'Run the pending migrations of the service and of the declared resources, without starting the service.',
    )
    .option('--plan', 'show the changes without making them; exits with 1 if the service would refuse to start')
    .option(
      '--drop [names...]',
      'remove tables and columns that no declaration names: all empty ones, or the given ones with their data',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse migrate --plan\n  gatehouse migrate\n  gatehouse migrate --drop\n  gatehouse migrate --drop cars.color owners',
    )
    .action(async ({ plan = false, drop }: { plan?: boolean; drop?: true | string[] }) => {
      const config = await loadConfig();
      const { runMigrations } = await import('./run-migrations.ts');
      const { lines, isRefused } = await runMigrations(config, { plan, drop });
      for (const line of lines) console.log(colourStep(line));
      if (lines.length === 0) console.log(paint('green', 'The database is up to date.'));
      if (isRefused)
        throw new OperatorError(
          'The service would refuse to start, because the stored rows do not fit the declared resources.',
        );
    });
}

const colours = [
  [/^(applied|done:)/, 'green'],
  [/^cannot:/, 'red'],
  [/^stays:/, 'yellow'],
] as const;

/** Colours finished steps green, rejected steps red, and unused columns and tables yellow. */
function colourStep(line: string): string {
  const colour = colours.find(([pattern]) => pattern.test(line));
  return colour ? paint(colour[1], line) : line;
}
