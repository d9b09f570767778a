import type { Context } from '../../database/context.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import { begin, type Limit } from './throttle.ts';

/** Checks a guess if the limits allow it. Counts it as wrong if `look` returns undefined. */
export async function lookWithin<T>(
  context: Context,
  limits: readonly Limit[],
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const attempt = await begin(context, limits);
  const [refusal] = attempt.refusals;
  if (refusal) {
    await attempt.giveBack();
    throw tooManyRequests('Too many failed attempts. Wait before you try again.', refusal.retryAfterSeconds);
  }
  try {
    const found = await look();
    await (found === undefined ? attempt.count() : attempt.succeed());
    return found;
  } catch (error) {
    await attempt.giveBack();
    throw error;
  }
}
