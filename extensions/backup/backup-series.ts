import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFolder } from '../../src/platform/files.ts';
import type { BeginProgress } from '../../src/platform/progress.ts';
import { backUp, removeDraft } from './backup.ts';

/** The name contains the time of the copy, so that names sort by time. */
const copyName = (ms: number): string => `gatehouse-${new Date(ms).toISOString().replaceAll(':', '-')}.db`;
const isCopy = (name: string): boolean => /^gatehouse-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/.test(name);
const isDraft = (name: string): boolean => name.endsWith('.part') && isCopy(name.slice(0, -'.part'.length));
/** An older draft was left by an interrupted copy. */
const maxDraftAgeMs = 3_600_000;

export async function backUpToFolder(
  source: string,
  folder: string,
  { keep, now, progress }: { readonly keep: number; readonly now: number; readonly progress: BeginProgress },
): Promise<string> {
  createFolder(folder, 0o700);
  const names = readdirSync(folder);
  for (const name of names.filter(isDraft)) {
    if (now - statSync(join(folder, name)).mtimeMs > maxDraftAgeMs) removeDraft(join(folder, name));
  }
  const copy = join(folder, copyName(now));
  await backUp(source, copy, { progress });
  const copies = readdirSync(folder).filter(isCopy).sort();
  for (const old of copies.slice(0, Math.max(0, copies.length - keep))) rmSync(join(folder, old), { force: true });
  return copy;
}

interface BackupSeries {
  readonly intervalMs: number;
  /** Makes one copy. If the first one fails, the series ends. Later failures are only reported. */
  readonly makeCopy: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export async function backUpEvery({ intervalMs, makeCopy, onFailure, signal }: BackupSeries): Promise<void> {
  await makeCopy();
  let next = performance.now() + intervalMs;
  while (await waitUntil(next, signal)) {
    await makeCopy().catch(onFailure);
    next = Math.max(next + intervalMs, performance.now());
  }
}

/** A timer runs for at most 24 days: Node would end a longer one immediately. */
const maxTimerMs = 86_400_000;

/** Waits until this time. False if the signal ends the wait. */
async function waitUntil(at: number, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const remainingMs = Math.max(0, at - performance.now());
    const waited = await wait(Math.min(remainingMs, maxTimerMs), true, { signal }).catch(() => false);
    if (!waited || remainingMs <= maxTimerMs) return waited;
  }
}
