import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../config.ts';
import { backUp, sqliteFile } from '../../database/backup.ts';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('Copy the SQLite database to FILE, whole and consistent, while the service runs.')
    .argument('<file>')
    .option('--force', 'overwrite FILE')
    .addHelpText(
      'after',
      '\nExamples:\n  gatehouse backup gatehouse-2026-11-15.db\n  gatehouse backup /var/backups/gatehouse.db --force\n\nOn PostgreSQL use pg_dump instead.',
    )
    .action(async (name: string, { force = false }: { force?: boolean }) => {
      const config = await loadConfig();
      const source = sqliteFile(config, 'pg_dump --format=custom --file=gatehouse.dump "$DATABASE_URL"');
      const target = resolve(name);
      await backUp(source, target, { overwrite: force });
      console.log(`${target} (${statSync(target).size} bytes)`);
      const key = join(config.dataDir, 'encryption.key');
      if (!config.encryptionKey && existsSync(key)) {
        console.log(
          `The keys in it are sealed: to be restored it needs ${key} too. Keep a copy of that file elsewhere.`,
        );
      }
    });
}
