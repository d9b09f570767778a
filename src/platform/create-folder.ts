import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from './errors.ts';

/** Creates a folder and its missing parents. In `/proc`, `mkdirSync` with `recursive` never returns. */
export function createFolder(path: string, mode = 0o777): void {
  const folder = resolve(path);
  if (existsSync(folder)) return;
  createFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process has just created it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
