import { mkdirSync, readFileSync, statSync } from 'node:fs';
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

/** Creates a folder and its missing parents. In `/proc`, `mkdirSync` with `recursive` never returns. */
export function createFolder(path: string, mode = 0o777): void {
  const folder = resolve(path);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  if (!stats) createFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have just created it.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
