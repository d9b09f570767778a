import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { migrate, pendingMigrations } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';

interface Flags {
  plan?: boolean;
}

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to date, as a start would.')
    .option('--plan', 'say what would be done, and do nothing')
    .addHelpText('after', '\nExamples:\n  gatehouse migrate --plan\n  gatehouse migrate')
    .action(async ({ plan = false }: Flags) => {
      const config = await loadConfig();
      const database = await openDatabase(config);
      try {
        const names = plan ? await pendingMigrations(database) : await migrate(database);
        for (const name of names) console.log(`${plan ? 'would apply' : 'applied'} ${name}`);
        if (names.length === 0) console.log('The database is up to date.');
      } finally {
        await database.close();
      }
    });
}
