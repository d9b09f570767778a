import type { Context } from '../../database/context.ts';
import { networkOf, widerNetworkOf } from '../../http/network-of.ts';
import { beginAttempt, type Count, countOnce, endAttempt, failAttempt, readCounts } from './throttle-store.ts';

const windowMs = 15 * 60_000;
/** Longer than any password waits to be looked at: an attempt that has not ended by then died with its instance. */
const attemptTimeoutMs = 15_000;

/** So many within the window, and no more. */
export interface Limit {
  readonly key: string;
  readonly most: number;
  /** The limited subject, for the audit trail. */
  readonly of: string;
  /** A right password clears the failures before it, except counts that many people share. */
  readonly forgiven?: boolean;
}

export interface Refusal {
  readonly retryAfterSeconds: number;
  readonly of: string;
  /** True for the first refusal of a window alone, so that the trail can name it once. */
  readonly first: boolean;
}

/** An attempt that is under way. It counts against every limit until it ends in one of three ways. */
export interface Attempt {
  /** The limits that it passes. Those have ended for it already; the others wait for its end. */
  readonly refusals: readonly Refusal[];
  /** It counts for the rest of the window: a failure, or whatever else is limited. */
  count(): Promise<void>;
  /** Nobody looked at the password, so it was no failure. */
  giveBack(): Promise<void>;
  succeed(): Promise<void>;
}

/** The network, and a coarser bound for who has many of them. */
export function networkLimits(purpose: string, address: string | null, most: number): [Limit, ...Limit[]] {
  const [narrow, wide] = [networkOf(address ?? 'unknown'), widerNetworkOf(address ?? 'unknown')];
  const limit = { key: `${purpose}:address:${narrow}`, most, of: 'address' };
  return narrow === wide ? [limit] : [limit, { key: `${purpose}:address:${wide}`, most: most * 4, of: 'address' }];
}

/** Counts an attempt before its password is checked, so that parallel guesses all count. The caller throws. */
export async function begin(
  { database: { db }, now }: Context,
  limits: readonly Limit[],
  within = windowMs,
): Promise<Attempt> {
  const at = now();
  const counts = await beginAttempt(db, keysOf(limits), at, attemptTimeoutMs);
  const passed = limits.filter(({ key, most }) => isPassed(counts, key, most));
  const open = limits.filter((limit) => !passed.includes(limit));
  // A refusal only because other attempts are being checked is not a failure.
  const full = passed.filter(({ key, most }) => countOf(counts, key) >= most);
  const after = await failAttempt(db, keysOf(full), at, within);
  await endAttempt(db, keysOf(passed.filter((limit) => !full.includes(limit))), at);
  return {
    refusals: passed.map(({ key, most, of }) => ({
      of,
      retryAfterSeconds: (endOf(counts, key, at) - at) / 1000,
      first: countOf(after, key) === most + 1,
    })),
    count: async () => void (await failAttempt(db, keysOf(open), now(), within)),
    giveBack: () => endAttempt(db, keysOf(open), now()),
    async succeed() {
      const forgiven = open.filter((limit) => limit.forgiven);
      await Promise.all([
        endAttempt(db, keysOf(forgiven), now(), { anew: true }),
        endAttempt(db, keysOf(open.filter((limit) => !limit.forgiven)), now()),
      ]);
    },
  };
}

/** Counts something that happens now, whatever comes of it. Returns the refusal where a limit is passed. */
export async function countAgainst(
  { database: { db }, now }: Context,
  limits: readonly Limit[],
  within = windowMs,
): Promise<Refusal | undefined> {
  const at = now();
  const counts = await countOnce(db, keysOf(limits), at, within);
  return refusalIn(counts, limits, at);
}

/** The refusal that `countAgainst` would give now, without counting. */
export async function readRefusal(
  { database: { db }, now }: Context,
  limits: readonly Limit[],
): Promise<Refusal | undefined> {
  const at = now();
  const counts = await readCounts(db, keysOf(limits), at);
  return refusalIn(
    counts.map((row) => ({ ...row, count: row.count + 1 })),
    limits,
    at,
  );
}

function refusalIn(counts: readonly Count[], limits: readonly Limit[], at: number): Refusal | undefined {
  const [worst] = limits.filter(({ key, most }) => countOf(counts, key) > most);
  if (!worst) return undefined;
  return {
    of: worst.of,
    retryAfterSeconds: (endOf(counts, worst.key, at) - at) / 1000,
    first: countOf(counts, worst.key) === worst.most + 1,
  };
}

const keysOf = (limits: readonly Limit[]): string[] => limits.map(({ key }) => key);
const find = (counts: readonly Count[], key: string) => counts.find((row) => row.key === key);
const countOf = (counts: readonly Count[], key: string): number => find(counts, key)?.count ?? 0;
const isPassed = (counts: readonly Count[], key: string, most: number): boolean =>
  countOf(counts, key) + (find(counts, key)?.pending ?? 0) > most;

/** The end of the window; where nothing has failed yet, the end of what is under way. */
const endOf = (counts: readonly Count[], key: string, now: number): number =>
  Math.max(find(counts, key)?.expires_at ?? 0, now + (countOf(counts, key) > 0 ? 0 : attemptTimeoutMs));
