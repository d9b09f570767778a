import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../src/config/config.ts';
import { fsyncFolder } from '../../src/database/fsync-folder.ts';
import { rejectNewer } from '../../src/database/migrate.ts';
import { OperatorError, reasonOf } from '../../src/platform/errors.ts';
import { createPrivateFile } from '../../src/platform/files.ts';
import { type BeginProgress, noProgress, type Progress } from '../../src/platform/progress.ts';

type Location = Pick<Config, 'databaseUrl' | 'workingDir'>;

/** The file of a SQLite database. For PostgreSQL, the error names the tools of PostgreSQL. */
export function sqliteFile({ databaseUrl, workingDir }: Location, insteadOnPostgres: string): string {
  if (databaseUrl.startsWith('sqlite:')) return resolve(workingDir, databaseUrl.slice('sqlite:'.length));
  throw new OperatorError(`The database is PostgreSQL. Use its own tools: ${insteadOnPostgres}`);
}

interface BackupOptions {
  readonly overwrite?: boolean;
  readonly progress?: BeginProgress;
}

/** Makes a complete and consistent copy while the service runs. The copy gets its final name when it is complete. */
export async function backUp(
  source: string,
  target: string,
  { overwrite = false, progress = noProgress }: BackupOptions = {},
): Promise<void> {
  if (!existsSync(source)) throw new OperatorError(`There is no database at ${source} yet.`);
  const draft = `${target}.part`;
  const self = [target, draft].find((path) => isSameFile(source, path));
  if (self) throw new OperatorError(`${self} is the database itself. Choose another name.`);
  if (existsSync(target) && !overwrite) {
    throw new OperatorError(`${target} already exists. Choose another name, or overwrite it with --force.`);
  }
  if (!existsSync(dirname(target))) throw new OperatorError(`The folder ${dirname(target)} does not exist.`);
  removeDraft(draft);
  // The draft is created with mode 0600, so that other users cannot read it during the copy.
  closeSync(openSync(draft, 'wx', 0o600));
  // The size is doubled, because the check reads all bytes again.
  const bytes = sizeOf(source);
  const progressBar = progress(2 * bytes, 'copying');
  try {
    await watchGrowth(draft, bytes, progressBar, () => copyPages(source, draft));
    progressBar.advance(0, 'checking the copy');
    disableWal(draft);
    checkCopy(draft);
    progressBar.advance(bytes, 'syncing it to disk');
    syncToDisk(draft);
  } finally {
    progressBar.end();
  }
  renameSync(draft, target);
  fsyncFolder(dirname(target));
}

/** Whether both paths lead to the same file, also through links. */
function isSameFile(path: string, otherPath: string): boolean {
  const [file, other] = [path, otherPath].map((name) => statSync(name, { throwIfNoEntry: false, bigint: true }));
  return file !== undefined && file.dev === other?.dev && file.ino === other.ino;
}

async function copyPages(source: string, draft: string): Promise<void> {
  const file = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
  try {
    // Copies all pages in one step. With several steps, each write of the service would restart the copy.
    await backup(file, draft, { rate: 0x7fffffff });
  } finally {
    file.close();
  }
}

interface RestoreOptions extends BackupOptions {
  /** Changes the copy before it becomes the database. */
  readonly change?: (draft: string) => Promise<void>;
}

/** Replaces the database with a copy. Returns the path under which the old database is kept. */
export async function restore(
  source: string,
  target: string,
  { overwrite = false, progress = noProgress, change }: RestoreOptions = {},
): Promise<string | undefined> {
  if (!existsSync(source)) throw new OperatorError(`There is no file ${source}.`);
  const bytes = sizeOf(source);
  const progressBar = progress(2 * bytes, 'copying');
  try {
    return await replaceDatabase(source, target, overwrite, async (draft) => {
      await watchGrowth(draft, bytes, progressBar, () =>
        pipeline(
          createReadStream(source, { highWaterMark: 1 << 20 }),
          createWriteStream('', { fd: createPrivateFile(draft) }),
        ),
      );
      progressBar.advance(0, 'checking the copy');
      rejectNewer(checkCopy(draft, source));
      progressBar.advance(bytes, 'syncing it to disk');
      await change?.(draft);
      disableWal(draft);
      syncToDisk(draft);
    });
  } finally {
    progressBar.end();
  }
}

async function replaceDatabase(
  source: string,
  target: string,
  overwrite: boolean,
  make: (draft: string) => Promise<void>,
) {
  let previousPath: string | undefined;
  if (existsSync(target)) {
    if (!overwrite) {
      throw new OperatorError(
        `${target} already exists. Use --force to replace it. The old database stays beside the new one.`,
      );
    }
    rejectDatabaseInUse(target);
    previousPath = freeName(`${target}.before-restore`);
  }
  const draft = `${target}.part`;
  if (isSameFile(source, draft))
    throw new OperatorError(`A restore overwrites ${draft}. Give the backup another name.`);
  removeDraft(draft);
  try {
    await make(draft);
  } catch (error) {
    removeDraft(draft);
    throw error;
  }
  if (previousPath) keepUnder(target, previousPath);
  for (const suffix of sideFiles) rmSync(target + suffix, { force: true });
  renameSync(draft, target);
  fsyncFolder(dirname(target));
  return previousPath;
}

/** With a second link, the target never lacks a database: the new one replaces it in one step. Some file systems have no links. */
function keepUnder(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch {
    renameSync(path, name);
  }
}

/** The path if it is free, otherwise the path with the first free number. */
function freeName(path: string): string {
  let name = path;
  for (let number = 2; existsSync(name); number++) name = `${path}-${number}`;
  return name;
}

/** SQLite would apply a log that an interrupted command left beside a new file. */
const sideFiles = ['-journal', '-wal', '-shm'];

export function removeDraft(path: string): void {
  for (const suffix of ['', ...sideFiles]) rmSync(path + suffix, { force: true });
}

/** Turns the write-ahead log off, so that the copy is one file. */
function disableWal(path: string): void {
  const copy = new DatabaseSync(path, { timeout: 5000 });
  copy.exec('pragma journal_mode = delete');
  copy.close();
}

/** Returns the names of the migrations. Rejects a damaged file and another program's file. The messages contain the given name. */
function checkCopy(path: string, nameInMessages = path): string[] {
  try {
    const file = new DatabaseSync(path, { readOnly: true });
    try {
      const result = file.prepare('pragma integrity_check').get()?.integrity_check;
      if (result !== 'ok') throw new Error(String(result));
      return file
        .prepare('select name from migrations')
        .all()
        .map(({ name }) => String(name));
    } finally {
      file.close();
    }
  } catch (error) {
    throw new OperatorError(`${nameInMessages} is not a complete Gatehouse database: ${reasonOf(error)}.`);
  }
}

/** The write-ahead log can only be turned off while no process has the file open. */
function rejectDatabaseInUse(path: string): void {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    const mode = file.prepare('pragma journal_mode = delete').get()?.journal_mode;
    if (mode !== 'delete') throw new Error('it is in use');
  } catch {
    throw new OperatorError(`${path} is in use. Stop the service first, then restore.`);
  } finally {
    file.close();
  }
}

const growthIntervalMs = 100;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function watchGrowth(path: string, size: number, progress: Progress, work: () => Promise<void>): Promise<void> {
  let reportedSize = 0;
  const reportSize = (currentSize: number) => {
    progress.advance(Math.max(0, currentSize - reportedSize));
    reportedSize = Math.max(reportedSize, currentSize);
  };
  const timer = setInterval(() => reportSize(Math.min(size, sizeOf(path))), growthIntervalMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  reportSize(size);
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
