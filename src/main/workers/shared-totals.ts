import type { Counted, Counts } from './messages.ts';

interface Window {
  readonly windowEnds: number;
  readonly counts: Map<string, number>;
}

/** The counts of all workers in the current window. */
export class SharedTotals {
  readonly #windows = new Map<string, Window>();

  add(counted: readonly Counted[]): Counted[] {
    return counted.map(({ name, windowEnds, counts }) => {
      let window = this.#windows.get(name);
      if (window?.windowEnds !== windowEnds) {
        window = { windowEnds, counts: new Map() };
        this.#windows.set(name, window);
      }
      const { counts: totals } = window;
      for (const [caller, count] of counts) totals.set(caller, (totals.get(caller) ?? 0) + count);
      return { name, windowEnds, counts: counts.map(([caller]) => [caller, totals.get(caller) ?? 0] as const) };
    });
  }

  all(): Counted[] {
    return [...this.#windows].map(([name, { windowEnds, counts }]) => ({
      name,
      windowEnds,
      counts: [...counts] satisfies Counts,
    }));
  }
}
