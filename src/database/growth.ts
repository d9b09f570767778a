import { statSync } from 'node:fs';
import type { Progress } from '../platform/progress.ts';

const lookMs = 100;

/** The bytes of a file; 0 where there is none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Shows how a file grows to its size while the work that writes it goes on; in the end all of it is there. */
export async function watchGrowth(
  path: string,
  size: number,
  progress: Progress,
  work: () => Promise<void>,
): Promise<void> {
  let seen = 0;
  const note = (grown: number) => {
    progress.advance(Math.max(0, grown - seen));
    seen = Math.max(seen, grown);
  };
  const timer = setInterval(() => note(Math.min(size, sizeOf(path))), lookMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  note(size);
}
