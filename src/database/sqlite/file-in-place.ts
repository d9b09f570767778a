import { statSync } from 'node:fs';
import { unavailable } from '../../errors.ts';

const fileAt = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

/**
 * Throws when the path no longer leads to the file that it leads to now: what is written to a file that was removed or
 * replaced is gone when the process ends, so it must not be acknowledged.
 */
export function fileInPlace(path: string): () => void {
  const opened = fileAt(path);
  return () => {
    const found = fileAt(path);
    if (found && found.ino === opened?.ino && found.dev === opened.dev) return;
    throw unavailable(
      'The database cannot take this at the moment. Try again shortly.',
      5,
      `${path} was removed or replaced: put it back and start the service again`,
    );
  };
}
