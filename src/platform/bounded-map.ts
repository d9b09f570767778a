/**
 * A map with a maximum size. When it is full, a new entry evicts the oldest hundredth: V8 passes the places of all deleted entries before it
 * finds the oldest one, so the search must be rare. `evict` replaces the plain delete.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number;
  readonly #evict: (key: K) => unknown;

  constructor(limit: number, evict?: (key: K) => unknown) {
    super();
    this.#limit = limit;
    this.#evict = evict ?? ((key) => this.delete(key));
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#limit && !this.has(key)) this.#evictOldest();
    return super.set(key, value);
  }

  #evictOldest(): void {
    const remaining = this.#limit - Math.ceil(this.#limit / 100);
    for (const key of this.keys()) {
      if (this.size <= remaining) return;
      this.#evict(key);
    }
  }
}
