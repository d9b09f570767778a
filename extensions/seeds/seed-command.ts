import type { Command } from 'commander';
import { withGatehouse } from '../../src/cli/operator/with-gatehouse.ts';
import { OperatorError } from '../../src/platform/errors.ts';

export function addSeed(program: Command): void {
  program
    .command('seed')
    .argument('[names...]', 'only these files, by name')
    .summary('Fill the database with rows for development.')
    .description(
      'Fill the database with rows for development. Runs every file in SEEDS_DIR, in the order of the file names.',
    )
    .addHelpText('after', '\nExamples:\n  gatehouse seed\n  gatehouse seed 01-users')
    .action(async (names: string[]) => {
      const { runSeeds } = await import('./run-seeds.ts');
      const seedNames = await withGatehouse(({ resourceServices }) => runSeeds(resourceServices, names));
      if (seedNames.length === 0)
        throw new OperatorError('SEEDS_DIR has no files. A seed is a file such as seeds/01-books.ts.');
      for (const name of seedNames) console.log(`${name} is done.`);
    });
}
