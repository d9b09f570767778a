import { type Stats, statSync } from 'node:fs';
import { unavailable } from '../../platform/errors.ts';

const fileAt = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

/** Throws if the database or its write-ahead log was removed or replaced: writes to the old file would be lost. */
export function fileGuard(path: string): () => void {
  const opened = new Map<string, Stats>();
  return () => {
    for (const each of [path, `${path}-wal`]) {
      const found = fileAt(each);
      const first = opened.get(each);
      if (!first && found) opened.set(each, found);
      if (first && (found?.ino !== first.ino || found.dev !== first.dev)) throw gone(each);
    }
  };
}

const gone = (path: string): Error =>
  unavailable(
    'The database cannot store this at the moment. Try again shortly.',
    5,
    `${path} was removed or replaced: put it back and start the service again`,
  );
