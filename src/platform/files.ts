import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from './errors.ts';

/** The text of a file. Undefined if there is no such file. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The owner of a folder, if root creates something in it: an administrator runs commands as root, but the service runs as the owner of
 * DATA_DIR. That owner can replace each path in the folder at any time, so only what is open is given away.
 */
function ownerToServe(folder: string): Stats | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const stats = statSync(folder);
  return stats.uid === 0 ? undefined : stats;
}

/** `owner`: of the folder in which the file was created. */
function giveTo(owner: Stats | undefined, file: number): void {
  if (!owner) return;
  try {
    const folder = statSync(dirname(readlinkSync(`/proc/self/fd/${file}`)));
    if (folder.ino === owner.ino && folder.dev === owner.dev) fchownSync(file, owner.uid, owner.gid);
  } catch {
    // Some containers and file systems forbid this, and some systems have no /proc. Then the file belongs to root.
  }
}

/** Creates a file that only its owner can read, and opens it. */
export function createPrivateFile(path: string): number {
  const owner = ownerToServe(dirname(path));
  const file = openSync(path, 'wx', 0o600);
  giveTo(owner, file);
  return file;
}

/** Creates a file that only its owner can read, on disk when this returns. */
export function writePrivateFile(path: string, content: string): void {
  const file = createPrivateFile(path);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Creates an empty file that only its owner can read, unless the name is taken. */
export function createIfMissing(path: string): void {
  try {
    closeSync(createPrivateFile(path));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Creates a folder and its missing parents. In `/proc`, `mkdirSync` with `recursive` never returns. */
export function createFolder(path: string, mode = 0o777, { forService = false } = {}): void {
  const folder = resolve(path);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  const parent = dirname(folder);
  if (!stats) createFolder(parent, mode, { forService });
  try {
    const owner = forService ? ownerToServe(parent) : undefined;
    mkdirSync(folder, { mode });
    if (owner) giveFolderTo(owner, folder);
  } catch (error) {
    // Another process may have just created it.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Creates a folder for private files of the service. */
export const createServiceFolder = (path: string): void => createFolder(path, 0o700, { forService: true });

/** Only if it is an empty folder of root, because the path may lead to another one by now. */
function giveFolderTo(owner: Stats, path: string): void {
  const folder = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const isNew = fstatSync(folder).uid === 0 && readdirSync(`/proc/self/fd/${folder}`).length === 0;
    if (isNew) giveTo(owner, folder);
  } catch {
    // Without /proc, the folder belongs to root.
  } finally {
    closeSync(folder);
  }
}
