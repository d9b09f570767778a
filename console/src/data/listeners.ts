/** Functions to call after a change. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Returns a function that removes the listener. */
  readonly add = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  };

  readonly call = (): void => {
    for (const listener of this.#all) listener();
  };
}
