import { Batcher } from '../../../platform/batcher.ts';
import type { Bus } from '../../bus.ts';
import type { CommitCounts } from '../../database.ts';

interface Observation {
  readonly value: number;
  readonly xmin: number;
  readonly xmax: number;
}

/**
 * Transaction ids fit into a float8 for the life of any database. The sequence is read after the snapshot was taken. A transaction that has
 * counted in the sequence got its id earlier.
 */
const observeSql = `select last_value::float8 as value, pg_snapshot_xmin(s)::text::float8 as xmin,
  pg_snapshot_xmax(s)::text::float8 as xmax from row_changes, pg_current_snapshot() as s`;

/** The longest time for which a count is trusted, because an operator can disable triggers. */
const maxTrustMs = 60_000;

/**
 * How many rows were added or removed. Triggers count them in a sequence, which also counts rows that are not committed yet. A count
 * of rows may therefore be older than the value of the sequence. The value is `settled` once every transaction that was running at that
 * time has ended: every later count of rows includes them all.
 */
export class RowChanges {
  readonly #read: (text: string) => Promise<Observation[]>;
  /** One query at a time, so that each one sees a newer state than the one before. */
  readonly #counts = new Batcher<undefined, CommitCounts | undefined>(
    { concurrency: 1, maxItems: Number.POSITIVE_INFINITY, strict: true },
    async (waiting) => {
      const changes = await this.#observe();
      return waiting.map(() => changes);
    },
  );
  #generation = 0;
  #generationBeganAt = performance.now();
  #pending: { readonly value: number; settledAtXmin?: number } | undefined;
  #settled: number | undefined;
  #settledAt: number | undefined;

  constructor(bus: Bus, read: (text: string) => Promise<Observation[]>) {
    this.#read = read;
    // After a failover, the sequence may return to an earlier value.
    bus.subscribe(({ kind }) => kind === 'everything' && this.#reset());
  }

  changes(): Promise<CommitCounts | undefined> {
    return this.#counts.add(undefined);
  }

  async #observe(): Promise<CommitCounts | undefined> {
    const generation = this.#generation;
    // If the sequence cannot be read, the number of changes is unknown.
    const [observed] = await this.#read(observeSql).catch((): Observation[] => []);
    if (performance.now() - this.#generationBeganAt > maxTrustMs) this.#reset();
    if (!observed || generation !== this.#generation) return undefined;
    this.#settleIfEnded(observed);
    return { changeCount: observed.value, generation, settled: this.#settled, settledAt: this.#settledAt };
  }

  #settleIfEnded({ value, xmin, xmax }: Observation): void {
    const pending = this.#pending;
    if (!pending) this.#pending = { value };
    // This snapshot is newer than the value, so every transaction that is included in the value has a lower id.
    else if (pending.settledAtXmin === undefined) pending.settledAtXmin = xmax;
    else if (xmin >= pending.settledAtXmin) {
      if (pending.value !== this.#settled) {
        this.#settled = pending.value;
        this.#settledAt = performance.now();
      }
      this.#pending = { value };
    }
  }

  #reset(): void {
    this.#generation++;
    this.#generationBeganAt = performance.now();
    this.#pending = undefined;
    this.#settled = undefined;
  }
}
