/** A map with a limit: the oldest entry goes out when a new one would exceed it. `evict` takes it out, where more goes with it. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;
  readonly #evict: (key: K) => unknown;

  constructor(limit: number, evict?: (key: K) => unknown) {
    super();
    this.#limit = limit;
    this.#evict = evict ?? ((key) => this.delete(key));
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#limit && !this.has(key)) this.#evict(this.keys().next().value as K);
    return super.set(key, value);
  }
}
