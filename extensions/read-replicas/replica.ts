import pg from 'pg';
import { readTimeoutError } from '../../src/database/fair-queue.ts';
import { Lease, type LeaseRenewals } from '../../src/database/postgres/invalidations/lease.ts';
import type { Limits } from '../../src/database/postgres/pool/limits.ts';
import { poolCloser } from '../../src/database/postgres/pool/pool-closer.ts';
import { isCanceled, isConnectionError } from '../../src/database/postgres/pool/postgres-errors.ts';
import { codeOf, reasonOf } from '../../src/platform/errors.ts';

const checkIntervalMs = 250;
const responseTimeoutMs = 2000;
const renewalsSql = 'select renewals from instances where id = $1';

/** SQLSTATEs of reads that a replica cancels because they conflict with replication. */
const conflictCodes = /^(40001|40P01)$/;

/** The replica cannot serve the read. The primary can. */
export class ReplicaUnavailable extends Error {}

/** A replica of the primary. It is used only while it is known to be recent: it must contain a recent renewal of this instance's row. */
export class Replica {
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
