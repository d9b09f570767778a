/** A map with a maximum size. A new entry evicts the oldest one. `evict` replaces the plain delete. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;
  readonly #evict: (key: K) => unknown;

  constructor(limit: number, evict?: (key: K) => unknown) {
    super();
    this.#limit = limit;
    this.#evict = evict ?? ((key) => this.delete(key));
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#limit && !this.has(key)) this.keys().take(1).forEach(this.#evict);
    return super.set(key, value);
  }
}
