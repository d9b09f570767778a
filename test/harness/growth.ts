import assert from 'node:assert/strict';

/** Less than this says nothing: it is what the measuring itself may take. */
const noticeable = 20_000;
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
 * Fails where four times the input takes far more than four times the time. What grows with the square takes sixteen
 * times as long.
 */
export async function assertLinear(label: string, size: number, work: (size: number) => unknown): Promise<void> {
  await work(Math.ceil(size / 16));
  const large = await cost(() => work(size));
  if (large <= noticeable) return;
  const small = await cost(() => work(size / 4));
  assert.ok(
    large <= 10 * Math.max(small, noticeable / 10),
    `${label}: ${small} µs, and ${large} µs for four times as much`,
  );
}
