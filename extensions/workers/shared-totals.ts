import type { RateLimitCounts } from './messages.ts';

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
