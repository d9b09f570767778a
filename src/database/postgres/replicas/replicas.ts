import { setTimeout as delay } from 'node:timers/promises';
import { commitAndInvalidate } from '../../bus.ts';
import type { Database, KeyColumn, ReplicaReads, Replicas } from '../../database.ts';
import type { FairQueue } from '../../fair-queue.ts';
import type { Reader } from '../../reader.ts';
import { rowMark } from '../../sqlite/row-mark.ts';
import { SharedReads } from '../batching/shared-reads.ts';
import { confirmationTimeout } from '../invalidations/lease.ts';
import type { LeaseRenewals } from '../invalidations/lease-renewals.ts';
import type { Limits } from '../pool/limits.ts';
import { Replica, ReplicaUnavailable } from './replica.ts';

/** The maximum number of callers whose last write is remembered. Beyond it, all callers count as having just written. */
const maxCallers = 10_000;

interface ReplicaReader {
  readonly replica: Replica;
  readonly queue: FairQueue;
  /** Reads of one turn of the event loop are combined, as on the primary. */
  readonly shared: SharedReads;
}

interface Options {
  readonly urls: readonly string[];
  readonly size: number;
  readonly limits: Limits;
  readonly beats: LeaseRenewals;
  readonly queue: () => FairQueue;
  /** Serves the reads that a replica cannot serve. */
  readonly primary: Pick<Database, 'db' | 'bus' | 'read' | 'changes'> & {
    readonly readKeyed: NonNullable<Database['readKeyed']>;
  };
}

/**
 * Replicas for reads. A caller's read goes to a replica that contains all writes of this caller, on any instance. Instances announce the
 * writer before a write is acknowledged.
 */
export class PostgresReplicas implements Replicas {
  readonly #replicas: readonly ReplicaReader[];
  readonly #primary: Options['primary'];
  readonly #wrote = new Map<string, number>();
  #lastWriteOfAny = Number.NEGATIVE_INFINITY;
  /** Writes before this time are unknown, for every caller. */
  #knownSince = performance.now();
  #turn = 0;

  constructor({ urls, size, limits, beats, queue, primary }: Options) {
    this.#replicas = urls.map((url) => {
      const replica = new Replica(url, size, limits, beats);
      return { replica, queue: queue(), shared: new SharedReads((text, values) => replica.read(text, values)) };
    });
    this.#primary = primary;
    primary.bus.subscribe(({ kind, id }) => {
      if (kind === 'writer') this.#note(id);
      // Invalidations were missed.
      else if (kind === 'everything') this.#knownSince = performance.now();
    });
  }

  choose(caller: string, ruled: boolean): ReplicaReads | undefined {
    const since = Math.max(
      this.#knownSince,
      ruled ? this.#lastWriteOfAny : (this.#wrote.get(caller) ?? this.#knownSince),
    );
    const able = this.#replicas.filter(({ replica }) => replica.completeTo() > since);
    const chosen = able[this.#turn++ % able.length];
    if (!chosen) return undefined;
    const { replica, queue, shared } = chosen;
    const completeTo = replica.completeTo();
    const read = <R>(text: string, values: readonly unknown[], reader?: Reader, once?: boolean): Promise<R[]> =>
      withFallback(
        () =>
          reader && text.includes(rowMark)
            ? queue.run(reader, () => replica.read<R>(text, values))
            : shared.read<R>(text, values),
        async () => this.#primary.read<R>(text, values, reader, once),
      );
    const readKeyed = <R>(text: string, key: string, by?: KeyColumn) =>
      withFallback(
        () => shared.readKeyed<R>(text, key, by),
        () => this.#primary.readKeyed<R>(text, key, by),
      );
    const readFirst = async <R>(...args: Parameters<Database['readFirst']>) => (await read<R>(...args))[0];
    // On a replica, the sequence that counts changes runs ahead of the rows. The primary's value is right for every reader
    // that has the changes settled there.
    const changes = async () => {
      const known = await this.#primary.changes();
      return known && { ...known, has: (moment: number) => completeTo > moment };
    };
    return { read, readFirst, readKeyed, changes };
  }

  async afterWrite(caller: string): Promise<void> {
    this.#note(caller);
    try {
      await commitAndInvalidate(this.#primary, async (_tx, invalidate) => invalidate({ kind: 'writer', id: caller }));
    } catch {
      // After this time, an instance without the announcement uses no replica that lacks this write.
      await delay(confirmationTimeout);
    }
  }

  state(): { usable: number; of: number } {
    return { usable: this.#replicas.filter(({ replica }) => replica.isUsable()).length, of: this.#replicas.length };
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ replica }) => replica.close()));
  }

  #note(caller: string): void {
    const now = performance.now();
    this.#lastWriteOfAny = now;
    if (this.#wrote.size >= maxCallers) {
      this.#wrote.clear();
      this.#knownSince = now;
    }
    this.#wrote.set(caller, now);
  }
}

async function withFallback<T>(readReplica: () => Promise<T>, primary: () => Promise<T>): Promise<T> {
  try {
    return await readReplica();
  } catch (error) {
    if (!(error instanceof ReplicaUnavailable)) throw error;
    return primary();
  }
}
