import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BeginProgress } from '../../src/platform/progress.ts';
import { backUp } from './backup.ts';

/** The name contains the time of the copy, so that names sort by time. */
const nameAt = (ms: number): string => `gatehouse-${new Date(ms).toISOString().replaceAll(':', '-')}.db`;
const isCopy = (name: string): boolean => /^gatehouse-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/.test(name);
const isDraft = (name: string): boolean => name.endsWith('.part') && isCopy(name.slice(0, -'.part'.length));
/** An older draft was left by an interrupted copy. */
const draftLife = 3_600_000;

export async function backUpToFolder(
  source: string,
  folder: string,
  { keep, now, progress }: { readonly keep: number; readonly now: number; readonly progress: BeginProgress },
): Promise<string> {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  for (const name of names.filter(isDraft)) {
    if (now - statSync(join(folder, name)).mtimeMs > draftLife) rmSync(join(folder, name), { force: true });
  }
  const copy = join(folder, nameAt(now));
  await backUp(source, copy, { progress });
  const copies = readdirSync(folder).filter(isCopy).sort();
  for (const old of copies.slice(0, Math.max(0, copies.length - keep))) rmSync(join(folder, old), { force: true });
  return copy;
}

interface Series {
  readonly everyMs: number;
  /** Makes one copy. If the first one fails, the series ends. Later failures are only reported. */
  readonly make: () => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly stop: AbortSignal;
}

export async function backUpEvery({ everyMs, make, failed, stop }: Series): Promise<void> {
  await make();
  let next = performance.now() + everyMs;
  while (await isTime(next, stop)) {
    await make().catch(failed);
    next = Math.max(next + everyMs, performance.now());
  }
}

/** A timer runs for at most 24 days: Node would end a longer one immediately. */
const maxTimerMs = 86_400_000;

/** Waits until this time. False if the signal ends the wait. */
async function isTime(at: number, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const left = Math.max(0, at - performance.now());
    const waited = await wait(Math.min(left, maxTimerMs), true, { signal }).catch(() => false);
    if (!waited || left <= maxTimerMs) return waited;
  }
}
