import type { Result } from './load.ts';

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** The middle of each figure; failures are added up, because one is too many. */
export const medianOf = (results: readonly Result[]): Result => ({
  requests: results.reduce((sum, { requests }) => sum + requests, 0),
  perSecond: median(results.map(({ perSecond }) => perSecond)),
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
  failures: results.reduce((sum, { failures }) => sum + failures, 0),
});
