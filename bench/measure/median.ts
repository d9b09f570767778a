import type { Result } from './result.ts';

/** The results of several rounds. */
export interface Measured extends Result {
  /** Requests a second, round by round: servers are compared within a round, because the machine changes between rounds. */
  readonly rates: readonly number[];
}

/** How one server's rate compares with another's in the same rounds. */
export interface Ratio {
  readonly middle: number;
  /** Half of the rounds lie between these two. */
  readonly low: number;
  readonly high: number;
}

export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The middle of each figure; failures are added up, because one is too many. */
export const medianOf = (results: readonly Result[]): Measured => ({
  requests: results.reduce((sum, { requests }) => sum + requests, 0),
  perSecond: median(results.map(({ perSecond }) => perSecond)),
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
  failures: results.reduce((sum, { failures }) => sum + failures, 0),
  rates: results.map(({ perSecond }) => perSecond),
});

/** The middle of the ratios, not the ratio of the middles: what slows the machine down for a second slows both down. */
export function ratioOf(one: Measured, other: Measured): Ratio {
  const ratios = one.rates.map((rate, round) => rate / (other.rates[round] as number));
  return { middle: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}
