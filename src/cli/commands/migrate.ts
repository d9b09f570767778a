import type { Command } from 'commander';
import { type Config, loadConfig } from '../../config.ts';
import type { Database } from '../../database/database.ts';
import { migrate, pendingMigrations } from '../../database/migrate.ts';
import { openDatabase } from '../../database/open-database.ts';
import { loadResources } from '../../resources/load-resources.ts';
import { applyResourceMigrations, planResourceMigrations } from '../../resources/migrations/migrate-resources.ts';
import { serviceTables } from '../../service-tables.ts';

interface Flags {
  plan?: boolean;
  allowLoss?: string[];
}

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to date, as a start would: the service itself, and the declared resources.')
    .option('--plan', 'say what would be done, and do nothing')
    .option('--allow-loss <names...>', 'also what loses data of these fields or resources')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse migrate --plan\n  gatehouse migrate\n  gatehouse migrate --allow-loss cars.color owners',
    )
    .action(async ({ plan = false, allowLoss = [] }: Flags) => {
      const config = await loadConfig();
      const database = await openDatabase(config);
      try {
        const lines = plan ? await planned(database, config) : await applied(database, config, allowLoss);
        for (const line of lines) console.log(line);
        if (lines.length === 0) console.log('The database is up to date.');
      } finally {
        await database.close();
      }
    });
}

async function planned(database: Database, { resourcesDir }: Config): Promise<string[]> {
  const declared = await loadResources(resourcesDir);
  const names = (await pendingMigrations(database)).map((name) => `would apply ${name}`);
  // What the resources need can be seen only when the service's own tables are there.
  if (names.length > 0) return [...names, ...declared.map(({ name }) => `would then bring up the table of ${name}`)];
  const { steps, blockers } = await planResourceMigrations(database, [...serviceTables, ...declared]);
  return [
    ...steps.map(({ says, loses }) => `would ${says}${loses ? ` (loses data: --allow-loss ${loses})` : ''}`),
    ...blockers.map((blocker) => `cannot: ${blocker}`),
  ];
}

async function applied(database: Database, { resourcesDir }: Config, allowLoss: readonly string[]): Promise<string[]> {
  const declared = await loadResources(resourcesDir);
  const notes: string[] = [];
  const names = await migrate(database, database.now, (line) => notes.push(line));
  const steps = await applyResourceMigrations(database, [...serviceTables, ...declared], { allowLoss });
  return [...names.map((name) => `applied ${name}`), ...notes, ...steps.map((step) => `done: ${step}`)];
}
