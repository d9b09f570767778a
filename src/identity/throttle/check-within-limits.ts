import type { Context } from '../../database/context.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import { beginAttempt, type Limit } from './throttle.ts';

/** Checks a guess if the limits allow it. Counts it as wrong if `look` returns undefined. */
export async function checkWithinLimits<T>(
  context: Context,
  limits: readonly Limit[],
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const attempt = await beginAttempt(context, limits);
  const [refusal] = attempt.refusals;
  if (refusal) {
    await attempt.release();
    throw tooManyRequests('Too many failed attempts. Wait before you try again.', refusal.retryAfterSeconds);
  }
  try {
    const found = await check();
    await (found === undefined ? attempt.count() : attempt.succeed());
    return found;
  } catch (error) {
    await attempt.release();
    throw error;
  }
}
