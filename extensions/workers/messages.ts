import type { FirstAdministrator } from '../../src/identity/accounts/first-password.ts';

type Counts = readonly (readonly [caller: string, count: number])[];

/** The counts of a worker, per limit and window. */
export interface RateLimitCounts {
  readonly name: string;
  readonly windowEnds: number;
  readonly counts: Counts;
}

export type WorkerMessage =
  | { readonly is: 'ready'; readonly url: string; readonly administrator: FirstAdministrator | undefined }
  /** `explanation`: the message for the operator. */
  | { readonly is: 'failed'; readonly explanation: string }
  | { readonly is: 'alive' }
  /** A request for the sum of all metrics. */
  | { readonly is: 'sum'; readonly requestId: number }
  | { readonly is: 'figures'; readonly requestId: number; readonly figures: object[] }
  /** `requestId`: the worker waits until the primary has notified the others. */
  | { readonly is: 'counted'; readonly counted: readonly RateLimitCounts[]; readonly requestId: number | undefined };

export type PrimaryMessage =
  | { readonly is: 'drain' }
  | { readonly is: 'stop' }
  /** The worker must respond with `alive`. */
  | { readonly is: 'ping' }
  /** The number of silent workers. */
  | { readonly is: 'silent'; readonly count: number }
  | { readonly is: 'show'; readonly requestId: number }
  | { readonly is: 'response'; readonly requestId: number; readonly text: string }
  | { readonly is: 'counted'; readonly counted: readonly RateLimitCounts[] };

export interface Window {
  readonly windowEnds: number;
  readonly counts: Map<string, number>;
}

/** The window with this end. A window with another end is replaced. */
export function currentWindow(windows: Map<string, Window>, name: string, windowEnds: number): Window {
  const known = windows.get(name);
  if (known?.windowEnds === windowEnds) return known;
  const window = { windowEnds, counts: new Map<string, number>() };
  windows.set(name, window);
  return window;
}

export const toRateLimitCounts = (windows: ReadonlyMap<string, Window>): RateLimitCounts[] =>
  [...windows].map(([name, { windowEnds, counts }]) => ({ name, windowEnds, counts: [...counts] }));

/** The counts of all workers in the current window. */
export class SharedTotals {
  readonly #windows = new Map<string, Window>();

  add(counted: readonly RateLimitCounts[]): RateLimitCounts[] {
    return counted.map(({ name, windowEnds, counts }) => {
      const { counts: totals } = currentWindow(this.#windows, name, windowEnds);
      for (const [caller, count] of counts) totals.set(caller, (totals.get(caller) ?? 0) + count);
      return { name, windowEnds, counts: counts.map(([caller]) => [caller, totals.get(caller) ?? 0] as const) };
    });
  }

  all(): RateLimitCounts[] {
    return toRateLimitCounts(this.#windows);
  }
}
