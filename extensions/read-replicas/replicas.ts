import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Database, KeyColumn, ReplicaReads, Replicas } from '../../src/database/database.ts';
import { type FairQueue, readTimeoutError } from '../../src/database/fair-queue.ts';
import { SharedReads } from '../../src/database/postgres/batching/shared-statements.ts';
import { confirmationTimeoutMs, Lease, type LeaseRenewals } from '../../src/database/postgres/invalidations/lease.ts';
import type { Limits } from '../../src/database/postgres/pool/limits.ts';
import { poolCloser } from '../../src/database/postgres/pool/pool-closer.ts';
import { isCanceled, isConnectionError } from '../../src/database/postgres/pool/postgres-errors.ts';
import type { ReplicaOptions } from '../../src/database/postgres/postgres.ts';
import type { Reader } from '../../src/database/reader.ts';
import { rowMark } from '../../src/database/sqlite/row-mark.ts';
import { codeOf, reasonOf } from '../../src/platform/errors.ts';

const checkIntervalMs = 250;
const responseTimeoutMs = 2000;
const renewalsSql = 'select renewals from instances where id = $1';

/** SQLSTATEs of reads that a replica cancels because they conflict with replication. */
const conflictCodes = /^(40001|40P01)$/;

/** The replica cannot serve the read. The primary can. */
class ReplicaUnavailable extends Error {}

/** A replica of the primary. It is used only while it is known to be recent: it must contain a recent renewal of this instance's row. */
class Replica {
  /** Renewed by the renewals that the replica contains. So a usable replica contains every write that is older than the lease. */
  readonly #lease = new Lease();
  readonly #pool: pg.Pool;
  readonly #close: () => Promise<void>;
  readonly #renewals: LeaseRenewals;
  readonly #limits: Limits;
  #completeTo = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string, size: number, limits: Limits, renewals: LeaseRenewals) {
    this.#renewals = renewals;
    this.#limits = limits;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: size,
      connectionTimeoutMillis: responseTimeoutMs,
      application_name: 'gatehouse-reads',
      keepAlive: true,
      onConnect: async (client) => {
        await client.query({ text: `set statement_timeout = ${limits.readMs}`, query_timeout: responseTimeoutMs });
      },
    });
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#close = poolCloser(this.#pool).close;
    void this.#check();
  }

  /** The replica contains everything that was committed before this monotonic time. */
  completeTo(): number {
    return this.#lease.isHeld() ? this.#completeTo : Number.NEGATIVE_INFINITY;
  }

  isUsable(): boolean {
    return this.#lease.isHeld();
  }

  async read<R>(text: string, values: readonly unknown[]): Promise<R[]> {
    try {
      const query = { text, query_timeout: this.#limits.timeoutMs, values: [...values] };
      return (await this.#pool.query(query)).rows;
    } catch (error) {
      if (isCanceled(error)) throw readTimeoutError(this.#limits.readMs / 1000);
      const code = codeOf(error) ?? '';
      if (!isConnectionError(error) && !conflictCodes.test(code)) throw error;
      if (isConnectionError(error)) this.#lease.drop();
      throw new ReplicaUnavailable(reasonOf(error));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#close();
  }

  async #check(): Promise<void> {
    try {
      // A command that does not receive invalidations reads from the primary.
      if (this.#renewals.id !== '') await this.#compare(this.#renewals.id);
    } catch {
      this.#lease.drop();
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#check(), checkIntervalMs).unref();
  }

  async #compare(id: string): Promise<void> {
    const query = { text: renewalsSql, query_timeout: responseTimeoutMs, values: [id] };
    const { rows } = await this.#pool.query<{ renewals: number }>(query);
    const completeAt = rows[0] && this.#renewals.completeTo(id, rows[0].renewals);
    if (!completeAt || completeAt.monotonic < this.#completeTo) return;
    this.#completeTo = completeAt.monotonic;
    this.#lease.renew(completeAt);
  }
}

/** The maximum number of callers whose last write is remembered. Beyond it, all callers count as having just written. */
const maxCallers = 10_000;

interface ReplicaReader {
  readonly replica: Replica;
  readonly queue: FairQueue;
  /** Reads of one turn of the event loop are combined, as on the primary. */
  readonly shared: SharedReads;
}

/**
 * Replicas for reads. A caller's read goes to a replica that contains all writes of this caller, on any instance. Instances announce the
 * writer before a write is acknowledged.
 */
export class PostgresReplicas implements Replicas {
  readonly #replicas: readonly ReplicaReader[];
  readonly #primary: ReplicaOptions['primary'];
  readonly #lastWriteByCaller = new Map<string, number>();
  #lastWrite = Number.NEGATIVE_INFINITY;
  /** Writes before this time are unknown, for every caller. */
  #writesKnownSince = performance.now();
  #nextReplica = 0;

  constructor({ urls, size, limits, renewals: beats, queue, primary }: ReplicaOptions) {
    this.#replicas = urls.map((url) => {
      const replica = new Replica(url, size, limits, beats);
      return { replica, queue: queue(), shared: new SharedReads((text, values) => replica.read(text, values)) };
    });
    this.#primary = primary;
    primary.bus.subscribe(({ kind, id }) => {
      if (kind === 'writer') this.#recordWrite(id);
      // Invalidations were missed.
      else if (kind === 'everything') this.#writesKnownSince = performance.now();
    });
  }

  choose(caller: string, hasRowRules: boolean): ReplicaReads | undefined {
    const minCompleteTo = Math.max(
      this.#writesKnownSince,
      hasRowRules ? this.#lastWrite : (this.#lastWriteByCaller.get(caller) ?? this.#writesKnownSince),
    );
    const candidates = this.#replicas.filter(({ replica }) => replica.completeTo() > minCompleteTo);
    const chosen = candidates[this.#nextReplica++ % candidates.length];
    if (!chosen) return undefined;
    const { replica, queue, shared } = chosen;
    const completeTo = replica.completeTo();
    const read = <R>(text: string, values: readonly unknown[], reader?: Reader, isAdHoc?: boolean): Promise<R[]> =>
      withFallback(
        () =>
          reader && text.includes(rowMark)
            ? queue.run(reader, () => replica.read<R>(text, values))
            : shared.read<R>(text, values),
        async () => this.#primary.read<R>(text, values, reader, isAdHoc),
      );
    const readKeyed = <R>(text: string, key: string, keyColumn?: KeyColumn) =>
      withFallback(
        () => shared.readKeyed<R>(text, key, keyColumn),
        () => this.#primary.readKeyed<R>(text, key, keyColumn),
      );
    const readFirst = async <R>(...args: Parameters<Database['readFirst']>) => (await read<R>(...args))[0];
    // On a replica, the sequence that counts changes runs ahead of the rows. The primary's value is right for every reader
    // that has the changes settled there.
    const changes = async () => {
      const counts = await this.#primary.changes();
      return counts && { ...counts, includesSettledAt: (time: number) => completeTo > time };
    };
    return { read, readFirst, readKeyed, changes };
  }

  async afterWrite(caller: string): Promise<void> {
    this.#recordWrite(caller);
    try {
      await commitAndInvalidate(this.#primary, async (_tx, invalidate) => invalidate({ kind: 'writer', id: caller }));
    } catch {
      // After this time, an instance without the announcement uses no replica that lacks this write.
      await delay(confirmationTimeoutMs);
    }
  }

  state(): { usable: number; of: number } {
    return { usable: this.#replicas.filter(({ replica }) => replica.isUsable()).length, of: this.#replicas.length };
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ replica }) => replica.close()));
  }

  #recordWrite(caller: string): void {
    const now = performance.now();
    this.#lastWrite = now;
    if (this.#lastWriteByCaller.size >= maxCallers) {
      this.#lastWriteByCaller.clear();
      this.#writesKnownSince = now;
    }
    this.#lastWriteByCaller.set(caller, now);
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
