import assert from 'node:assert/strict';

const attempts = 4;

/** The least processor time, in microseconds, of several attempts: a busy machine only ever adds to it. */
async function cost(work: () => unknown, enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < attempts && least > enough; i++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** A pattern that takes quadratic time. */
export const quadratic = (size: number): boolean => /^a+a*$/.test(`${'a'.repeat(size)}x`);
/** The smallest size of tests that detect quadratic time. */
export const smallestSize = 12 * 1024;

const quadraticCost = await cost(() => quadratic(smallestSize));

/**
 * In microseconds, at most 0.15 s. Shorter times are ignored, because the garbage collection of a large input may take this long. The
 * quadratic pattern takes at least twice as long with `size`, on a machine of any speed.
 */
const noticeableTime = (size: number): number =>
  Math.min(150_000, (quadraticCost / 2) * Math.max(1, size / smallestSize) ** 2);

/**
 * Fails if eight times the input takes more than 24 times as long. Quadratic work would take 64 times as long, so a
 * busy machine cannot change the result.
 */
export async function assertLinear(label: string, size: number, work: (size: number) => unknown): Promise<void> {
  await work(Math.ceil(size / 16));
  const noticeable = noticeableTime(size);
  const large = await cost(() => work(size), noticeable);
  if (large <= noticeable) return;
  const small = await cost(() => work(size / 8), noticeable);
  assert.ok(
    large <= 24 * Math.max(small, noticeable / 24),
    `${label}: ${small} µs, and ${large} µs for eight times as much`,
  );
}
