import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { localNow } from '../../src/cli/terminal/local-clock.ts';
import { readCount } from '../../src/cli/terminal/option-values.ts';
import { terminalProgressBar } from '../../src/cli/terminal/progress-bar.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { reasonOf } from '../../src/platform/errors.ts';
import { parseDuration } from '../../src/platform/parse-duration.ts';
import { backUp, sqliteFile } from './backup.ts';
import { backUpEvery, backUpToFolder } from './backup-series.ts';

function readDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms) return ms;
  throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 2h or 7d.');
}

interface Flags {
  force?: boolean;
  every?: number;
  keep?: number;
}

/** One for each hour of a day. */
const defaultKeep = 24;

export function addBackup(program: Command): void {
  program
    .command('backup')
    .summary('Copy the SQLite database. The service can keep running.')
    .description('Make a complete and consistent copy of the SQLite database at PATH. The service can keep running.')
    .argument('<path>', 'a file; with --keep or --every, a folder of copies that are named after their times')
    .option(
      '--every <time>',
      'make a copy at this interval, such as 15m, 1h or 1d, until you stop the command',
      readDuration,
    )
    .option('--keep <number>', `the number of newest copies to keep (with --every: ${defaultKeep})`, readCount)
    .option('--force', 'overwrite the file')
    .addHelpText(
      'after',
      `
A copy gets its name only when it is complete and on disk. If a copy of a series
fails, the command reports it and makes the next copy at the usual time. It
removes an old copy only after a newer one is complete.

Examples:
  gatehouse backup gatehouse-2026-11-15.db
  gatehouse backup /var/backups/gatehouse --keep 14
  gatehouse backup /var/backups/gatehouse --every 1h --keep 24

On PostgreSQL use pg_dump, or archive the write-ahead log to restore any moment:
docs/guides/backups-and-upgrades.md`,
    )
    .action(async (path: string, flags: Flags) => {
      const config = await loadConfig();
      const source = sqliteFile(config, 'pg_dump --format=custom --file=gatehouse.dump "$DATABASE_URL"');
      if (flags.every === undefined && flags.keep === undefined) await makeOne(source, resolve(path), flags);
      else await makeSeries(source, resolve(path), flags);
      noteKey(config);
    });
}

async function makeOne(source: string, file: string, { force = false }: Flags): Promise<void> {
  await backUp(source, file, { overwrite: force, progress: terminalProgressBar });
  showCopy(file);
}

async function makeSeries(source: string, folder: string, { every, keep = defaultKeep, force }: Flags): Promise<void> {
  if (force) throw new UsageError('--force works only with a single file: in a folder, no copy is ever overwritten.');
  const make = async () =>
    showCopy(await backUpToFolder(source, folder, { keep, now: localNow(), progress: terminalProgressBar }));
  if (every === undefined) return make();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const failed = (error: unknown) => console.error(`gatehouse: this copy failed: ${reasonOf(error)}`);
  await backUpEvery({ intervalMs: every, makeCopy: make, onFailure: failed, signal: stop.signal });
}

const showCopy = (file: string): void => console.log(`${file} (${statSync(file).size} bytes)`);

function noteKey({ dataDir, encryptionKey }: Config): void {
  const key = join(dataDir, 'encryption.key');
  if (encryptionKey || !existsSync(key)) return;
  console.log(
    `The keys in the copy are encrypted. To restore it, you also need ${key}. Keep a copy of that file in another place.`,
  );
}
