import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Database } from '../database.ts';
import { throttle } from '../throttle.ts';
import type { SharedCommits } from './shared-commits.ts';
import { isDiskError } from './sqlite-errors.ts';

const writeIntervalMs = 1000;
/** The space that the write-ahead log of several writes may need. */
const minFreeBytes = 1024 * 1024;

interface Parts {
  readonly path: string;
  readonly writer: DatabaseSync;
  readonly commits: SharedCommits;
  readonly checkFile: () => void;
}

/** Writes an unchanged value. */
async function write({ writer, commits }: Parts): Promise<void> {
  const version = writer.prepare('pragma user_version');
  const { durable } = await commits.run(() => writer.exec(`pragma user_version = ${version.get()?.user_version ?? 0}`));
  await durable;
}

export function sqliteProbes(parts: Parts): Database['probes'] {
  const writeProbe = throttle(writeIntervalMs, () => write(parts));
  const rethrowIf = (isRelevant: (error: unknown) => boolean) => (error: unknown) => {
    if (isRelevant(error)) throw error;
  };
  return {
    async database() {
      parts.checkFile();
      await writeProbe().catch(rethrowIf((error) => !isDiskError(error)));
    },
    async disk() {
      await writeProbe().catch(rethrowIf(isDiskError));
      const { blocks, bavail, bsize } = await statfs(dirname(parts.path));
      // Some file systems report no sizes.
      if (blocks > 0 && bavail * bsize < minFreeBytes) throw new Error('hardly any space is left');
    },
  };
}
