import { closeSync, lchownSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
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
 * Gives a new file or folder to the owner of its folder, if this process is root: an administrator runs commands as root, but the service
 * runs as the owner of DATA_DIR.
 */
export function giveToOwnerOfFolder(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  try {
    // Does not follow links: the owner of the folder could have replaced the file with one.
    if (uid !== 0) lchownSync(path, uid, gid);
  } catch {
    // Some containers and file systems forbid this. Then the file belongs to root.
  }
}

/** Creates a file that only its owner can read, and opens it. */
export function createPrivateFile(path: string): number {
  const file = openSync(path, 'wx', 0o600);
  giveToOwnerOfFolder(path);
  return file;
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
export function createFolder(path: string, mode = 0o777): void {
  const folder = resolve(path);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  if (!stats) createFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
    giveToOwnerOfFolder(folder);
  } catch (error) {
    // Another process may have just created it.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
