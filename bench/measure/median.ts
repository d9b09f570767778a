import type { Result } from './result.ts';

/** The results of several rounds. */
export interface Measured extends Result {
  /**
   * Requests per second in each round. Servers are compared within a round, because the speed of the machine changes
   * between rounds.
   */
  readonly rates: readonly number[];
}

/** The ratio of two servers' rates in the same rounds. */
export interface Ratio {
  readonly middle: number;
  /** The interquartile range: half of the rounds are in it. */
  readonly low: number;
  readonly high: number;
}

/** Interpolates between the two closest values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  return below + (place % 1) * ((sorted[Math.ceil(place)] ?? below) - below);
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The median of each figure. Failures are summed, because even one matters. */
export const medianOf = (results: readonly Result[]): Measured => ({
  requests: results.reduce((sum, { requests }) => sum + requests, 0),
  perSecond: median(results.map(({ perSecond }) => perSecond)),
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
  failures: results.reduce((sum, { failures }) => sum + failures, 0),
  rates: results.map(({ perSecond }) => perSecond),
});

/** The median of the ratios, not the ratio of the medians: a slow second of the machine affects both servers. */
export function ratioOf(one: Measured, other: Measured): Ratio {
  const ratios = one.rates.map((rate, round) => rate / (other.rates[round] as number));
  return { middle: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}
