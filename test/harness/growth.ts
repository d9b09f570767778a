import assert from 'node:assert/strict';

/**
 * Shorter times are ignored, because the garbage collection of a large input may take this long. Quadratic work takes
 * longer than this with the sizes of the tests.
 */
const noticeable = 150_000;
const attempts = 4;

/** The least processor time, in microseconds, of several attempts: a busy machine only ever adds to it. */
async function cost(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < attempts && least > noticeable; i++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/**
 * Fails if eight times the input takes more than 24 times as long. Quadratic work would take 64 times as long, so a
 * busy machine cannot change the result.
 */
export async function assertLinear(label: string, size: number, work: (size: number) => unknown): Promise<void> {
  await work(Math.ceil(size / 16));
  const large = await cost(() => work(size));
  if (large <= noticeable) return;
  const small = await cost(() => work(size / 8));
  assert.ok(
    large <= 24 * Math.max(small, noticeable / 24),
    `${label}: ${small} µs, and ${large} µs for eight times as much`,
  );
}
