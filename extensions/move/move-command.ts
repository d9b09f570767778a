import type { Command } from 'commander';
import { printRows } from '../../src/cli/terminal/print.ts';
import { progressBar } from '../../src/cli/terminal/progress-bar.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { loadConfig } from '../../src/config/config.ts';
import { settings } from '../../src/config/settings/settings.ts';
import { findSealingSecrets } from '../../src/database/keys/sealing-secrets.ts';

interface Flags {
  to: string;
  without?: string[];
  startOver?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** Not a parser of the option: the error of Commander would show the value, including the password. */
function checkUrl(value: string): void {
  if (settings.databaseUrl.parse(value).ok) return;
  throw new UsageError(`--to: got a value that is not shown; expected ${settings.databaseUrl.expected}.`);
}

export function addMove(program: Command): void {
  program
    .command('move')
    .summary('Copy the service into another database.')
    .description('Copy the whole service into an empty SQLite or PostgreSQL database.')
    .requiredOption('--to <url>', 'the empty database: postgres://USER:PASSWORD@HOST:PORT/NAME or sqlite:PATH')
    .option('--dry-run', 'check both databases, show the tables to copy, and change nothing')
    .option('--start-over', 'delete the data that an interrupted move has left in the target')
    .option('--without <tables...>', 'do not copy these tables, which Gatehouse did not create')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Stop the service first, because the database must not change during the move.
The command only reads the old database. It compares the number of rows and a
checksum of every table. Tokens, secrets, links in mail and queued jobs stay
valid. The command encrypts the keys again with the secret of the new database.
To continue an interrupted move, run the same command again.

Examples:
  gatehouse move --to postgres://gatehouse:…@db.example.com/gatehouse --dry-run
  gatehouse move --to postgres://gatehouse:…@db.example.com/gatehouse
  gatehouse move --to sqlite:/var/lib/gatehouse/gatehouse.db`,
    )
    .action(async ({ to, without = [], startOver = false, dryRun = false, json }: Flags) => {
      checkUrl(to);
      const config = await loadConfig();
      const { move } = await import('./move.ts');
      const { tables, takenUp } = await move(config, { to, without, startOver, dryRun, progress: progressBar });
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      if (json) return console.log(JSON.stringify({ tables, rows, taken_up: takenUp, dry_run: dryRun }, null, 2));
      printRows(
        tables.map((table) => ({ ...table, ...(dryRun ? {} : { checksum: table.checksum?.slice(0, 16) }) })),
        {},
      );
      if (dryRun) {
        const state = takenUp
          ? 'An earlier move into the target was interrupted and would continue'
          : 'The target is empty';
        return console.log(`${state}. In the end, it would have ${count(rows)} rows in ${tables.length} tables.`);
      }
      console.log(`${count(rows)} rows in ${tables.length} tables were copied and are identical in both databases.`);
      const [{ name }] = findSealingSecrets({ ...config, databaseUrl: to }, { createIfMissing: false });
      console.log(`The keys in the new database are encrypted with ${name}.`);
      console.log(
        'Now set DATABASE_URL to the new database and start the service. Never start one on the old database again.',
      );
    });
}

const count = (rows: number): string => rows.toLocaleString('en');
