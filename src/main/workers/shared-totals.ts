import type { Counted, Counts } from './messages.ts';

interface Window {
  readonly windowEnds: number;
  readonly counts: Map<string, number>;
}

/** What all workers together have counted in the window that is open: for a worker that starts. */
export class SharedTotals {
  readonly #windows = new Map<string, Window>();

  add(counted: readonly Counted[]): void {
    for (const { name, windowEnds, counts } of counted) {
      let window = this.#windows.get(name);
      if (window?.windowEnds !== windowEnds) {
        window = { windowEnds, counts: new Map() };
        this.#windows.set(name, window);
      }
      for (const [caller, count] of counts) window.counts.set(caller, (window.counts.get(caller) ?? 0) + count);
    }
  }

  all(): Counted[] {
    return [...this.#windows].map(([name, { windowEnds, counts }]) => ({
      name,
      windowEnds,
      counts: [...counts] satisfies Counts,
    }));
  }
}
