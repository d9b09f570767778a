import { readFileSync } from 'node:fs';
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
