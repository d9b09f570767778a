import { type Stats, statSync } from 'node:fs';
import { unavailable } from '../../platform/errors.ts';

const statFile = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

/** Throws if the database or its write-ahead log was removed or replaced: writes to the old file would be lost. */
export function fileGuard(path: string): () => void {
  const originals = new Map<string, Stats>();
  return () => {
    for (const file of [path, `${path}-wal`]) {
      const current = statFile(file);
      const original = originals.get(file);
      if (!original && current) originals.set(file, current);
      if (original && (current?.ino !== original.ino || current.dev !== original.dev)) throw fileReplacedError(file);
    }
  };
}

const fileReplacedError = (path: string): Error =>
  unavailable(
    'The database cannot store this at the moment. Try again shortly.',
    5,
    `${path} was removed or replaced: put it back and start the service again`,
  );
