const start = 1024;
const highest = 2 ** 31;

/** Counts people once, however many logins they have: a bit for each number, which is what most ids are. */
export class People {
  #bits = new Uint8Array(start);
  readonly #others = new Set<string>();
  count = 0;

  add(id: string): void {
    const number = /^\d{1,10}$/.test(id) ? Number(id) : highest;
    if (number >= highest) {
      if (this.#others.has(id)) return;
      this.#others.add(id);
    } else {
      const byte = number >> 3;
      if (byte >= this.#bits.length) this.#grow(byte);
      const mask = 1 << (number & 7);
      if (((this.#bits[byte] as number) & mask) !== 0) return;
      this.#bits[byte] = (this.#bits[byte] as number) | mask;
    }
    this.count++;
  }

  #grow(byte: number): void {
    const larger = new Uint8Array(Math.max(byte + 1, this.#bits.length * 2));
    larger.set(this.#bits);
    this.#bits = larger;
  }
}
