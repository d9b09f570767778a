import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../config.ts';
import { restore, sqliteFile } from '../../database/backup.ts';

export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('Put a backup in the place of the SQLite database. The service must be stopped.')
    .argument('<file>')
    .option('--force', 'replace the database that is there; it is kept beside the restored one')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse restore gatehouse-2026-11-15.db\n  gatehouse restore /var/backups/gatehouse.db --force\n\nOn PostgreSQL use pg_restore instead.',
    )
    .action(async (name: string, { force = false }: { force?: boolean }) => {
      const config = await loadConfig();
      const target = sqliteFile(config, 'pg_restore --clean --if-exists --dbname="$DATABASE_URL" gatehouse.dump');
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      const kept = restore(resolve(name), target, { overwrite: force });
      console.log(`Restored ${target}.`);
      if (kept) console.log(`What was there before is in ${kept}.`);
      console.log('Sessions that ended after the backup was taken live again; end those that matter in the console.');
    });
}
