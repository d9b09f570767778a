import type { Context } from '../../database/context.ts';
import { networkOf, widerNetworkOf } from '../../http/network-of.ts';
import { tooManyRequests } from '../../platform/errors.ts';
import {
  type Count,
  countPendingAttempt,
  endAttempt,
  failAttempt,
  incrementCounts,
  readCounts,
} from './throttle-store.ts';

const windowMs = 15 * 60_000;
/** Longer than any password waits for its check. An attempt that has not ended by then crashed with its instance. */
const attemptTimeoutMs = 15_000;

/** At most this many attempts within the window. */
export interface Limit {
  readonly key: string;
  readonly max: number;
  /** The limited subject, for the audit trail. */
  readonly of: string;
  /** A correct password clears earlier failures, except counts that several users share. */
  readonly resetOnSuccess?: boolean;
}

export interface ExceededLimit {
  readonly retryAfterSeconds: number;
  readonly of: string;
  /** True only for the first attempt over the limit in a window, so that the audit trail records it once. */
  readonly first: boolean;
}

/** A pending attempt. It counts against every limit until one of three functions ends it. */
export type Attempt = Awaited<ReturnType<typeof beginAttempt>>;

/** The limit of the network, and a higher limit of the wider network, for callers with many networks. */
export function networkLimits(purpose: string, address: string | null, max: number): [Limit, ...Limit[]] {
  const [network, widerNetwork] = [networkOf(address ?? 'unknown'), widerNetworkOf(address ?? 'unknown')];
  const limit = { key: `${purpose}:address:${network}`, max, of: 'address' };
  return network === widerNetwork
    ? [limit]
    : [limit, { key: `${purpose}:address:${widerNetwork}`, max: max * 4, of: 'address' }];
}

/** Counts an attempt before its password is checked, so that parallel guesses all count. The caller throws. */
export async function beginAttempt({ database: { db }, now }: Context, limits: readonly Limit[], within = windowMs) {
  const at = now();
  const counts = await countPendingAttempt(db, keysOf(limits), at, attemptTimeoutMs);
  const exceeded = limits.filter(({ key, max }) => isExceeded(counts, key, max));
  const available = limits.filter((limit) => !exceeded.includes(limit));
  // If only pending attempts exceed the limit, the attempt is not counted as a failure.
  const exhausted = exceeded.filter(({ key, max }) => countOf(counts, key) >= max);
  const countsAfter = await failAttempt(db, keysOf(exhausted), at, within);
  await endAttempt(db, keysOf(exceeded.filter((limit) => !exhausted.includes(limit))), at);
  return {
    /** The exceeded limits. For these the attempt has already ended. For the others it is pending. */
    exceededLimits: exceeded.map(({ key, max, of }) => ({
      of,
      retryAfterSeconds: (endOf(counts, key, at) - at) / 1000,
      first: countOf(countsAfter, key) === max + 1,
    })),
    /** Counts the attempt for the rest of the window, for example as a failure. */
    count: async () => void (await failAttempt(db, keysOf(available), now(), within)),
    /** The password was not checked, so the attempt is not a failure. */
    release: () => endAttempt(db, keysOf(available), now()),
    async succeed() {
      const reset = available.filter((limit) => limit.resetOnSuccess);
      await Promise.all([
        endAttempt(db, keysOf(reset), now(), { anew: true }),
        endAttempt(db, keysOf(available.filter((limit) => !limit.resetOnSuccess)), now()),
      ]);
    },
  };
}

/** Begins an attempt. Throws the message if a limit is exceeded. */
export async function requireAttempt(context: Context, limits: readonly Limit[], message: string, within = windowMs) {
  const attempt = await beginAttempt(context, limits, within);
  const [exceeded] = attempt.exceededLimits;
  if (!exceeded) return attempt;
  await attempt.release();
  throw tooManyRequests(message, exceeded.retryAfterSeconds);
}

/** Checks a guess if the limits allow it. Counts it as wrong if `check` returns undefined. */
export async function checkWithinLimits<T>(
  context: Context,
  limits: readonly Limit[],
  check: () => Promise<T | undefined>,
  message = 'Too many failed attempts. Wait before you try again.',
): Promise<T | undefined> {
  const attempt = await requireAttempt(context, limits, message);
  try {
    const result = await check();
    await (result === undefined ? attempt.count() : attempt.succeed());
    return result;
  } catch (error) {
    await attempt.release();
    throw error;
  }
}

/** Counts an event with any result. Throws the message if a limit is exceeded. */
export async function requireWithinLimits(
  context: Context,
  limits: readonly Limit[],
  message: string,
  within = windowMs,
): Promise<void> {
  const exceeded = await countAgainstLimits(context, limits, within);
  if (exceeded) throw tooManyRequests(message, exceeded.retryAfterSeconds);
}

/** Counts an event with any result. Returns the limit that is exceeded. */
export async function countAgainstLimits(
  { database: { db }, now }: Context,
  limits: readonly Limit[],
  within = windowMs,
): Promise<ExceededLimit | undefined> {
  const at = now();
  const counts = await incrementCounts(db, keysOf(limits), at, within);
  return exceededLimitIn(counts, limits, at);
}

/** The limit that `countAgainstLimits` would return now. Does not count. */
export async function readExceededLimit({ database: { db }, now }: Context, limits: readonly Limit[]) {
  const at = now();
  const counts = await readCounts(db, keysOf(limits), at);
  return exceededLimitIn(
    counts.map((row) => ({ ...row, count: row.count + 1 })),
    limits,
    at,
  );
}

function exceededLimitIn(counts: readonly Count[], limits: readonly Limit[], at: number): ExceededLimit | undefined {
  const [worst] = limits.filter(({ key, max }) => countOf(counts, key) > max);
  if (!worst) return undefined;
  return {
    of: worst.of,
    retryAfterSeconds: (endOf(counts, worst.key, at) - at) / 1000,
    first: countOf(counts, worst.key) === worst.max + 1,
  };
}

const keysOf = (limits: readonly Limit[]): string[] => limits.map(({ key }) => key);
const find = (counts: readonly Count[], key: string) => counts.find((row) => row.key === key);
const countOf = (counts: readonly Count[], key: string): number => find(counts, key)?.count ?? 0;
const isExceeded = (counts: readonly Count[], key: string, max: number): boolean =>
  countOf(counts, key) + (find(counts, key)?.pending ?? 0) > max;

/** The end of the window. Without failures, the end of the pending attempts. */
const endOf = (counts: readonly Count[], key: string, now: number): number =>
  Math.max(find(counts, key)?.expires_at ?? 0, now + (countOf(counts, key) > 0 ? 0 : attemptTimeoutMs));
