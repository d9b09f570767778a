import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import type { Primary } from '../servers/primary.ts';
import type { DatabaseClock } from './database-clock.ts';
import {
  type ClockRow,
  type InstanceRow,
  listInstances,
  registerInstance,
  removeInstances,
  removeSilentInstances,
  renewInstance,
} from './instance-table.ts';
import { confirmationsChannel, invalidationsChannel, jobsChannel } from './invalidation-messages.ts';
import { type ClockReading, confirmationTimeoutMs, Lease, LeaseRenewals, readClocks } from './lease.ts';

/** Finds instances that no longer renew their row: crashed, stopped or disconnected. Nobody has to wait for them. */
export class SilentInstances {
  #renewalsById = new Map<string, { readonly renewals: number; readonly since: number }>();

  /** `at`: the monotonic time at which the rows were read. Returns the rows that have not changed for long enough. */
  find(rows: readonly InstanceRow[], at: number): InstanceRow[] {
    const previousRows = this.#renewalsById;
    this.#renewalsById = new Map(
      rows.map(({ id, renewals }) => {
        const previous = previousRows.get(id);
        return [id, previous?.renewals === renewals ? previous : { renewals, since: at }];
      }),
    );
    return rows.filter(({ id }) => at - (this.#renewalsById.get(id)?.since ?? at) >= confirmationTimeoutMs);
  }
}

/** Shorter than half the lease, so that one late response does not lose it. */
const renewIntervalMs = 1000;
/** The connection is closed and opened again if a response takes longer, because a broken network does not always close it. */
const responseTimeoutMs = 2000;
const reconnectDelayMs = 250;

interface ConnectionCallbacks {
  /** Whether reads go to the same server as invalidations. That server then has an instance with this id. */
  isRegistered(id: string): Promise<boolean>;
  /** Receives notifications in the order in which the database sent them. */
  onNotification(channel: string, payload: string): void;
  /** Clears the caches, because invalidations were missed. */
  clearCaches(): void;
  /** The connection and the lease are lost, so other instances need not wait for these ids. */
  onDisconnect(ids: readonly string[]): void;
}

/**
 * The connection that receives the invalidations of other instances and registers this instance. The lease is renewed only over this
 * connection. So every earlier invalidation arrives before the response that renews the lease.
 */
export class InvalidationConnection {
  readonly lease = new Lease();
  readonly renewals = new LeaseRenewals();
  readonly #primary: Primary;
  readonly #callbacks: ConnectionCallbacks;
  readonly #clock: DatabaseClock;
  readonly #silent = new SilentInstances();
  /** The ids of this process that may be in the table. Each connection has a new id. */
  readonly #ids = new Set<string>();
  #id = '';
  #client: pg.Client | undefined;
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(primary: Primary, clock: DatabaseClock, callbacks: ConnectionCallbacks) {
    this.#primary = primary;
    this.#clock = clock;
    this.#callbacks = callbacks;
    primary.onFailover(() => this.reconnect());
  }

  get id(): string {
    return this.#id;
  }

  isOwn(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Returns when the connection receives invalidations, or after the first attempt. It then tries again by itself. */
  async open(): Promise<void> {
    if (this.#isClosed || this.#client) return;
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: this.#primary.current,
      // Helps operators to recognise the connection. No code depends on this name.
      application_name: 'gatehouse-listener',
      connectionTimeoutMillis: responseTimeoutMs,
      keepAlive: true,
      pipeline: true,
      stream: () => socket,
    });
    this.#client = client;
    this.#socket = socket;
    client.on('error', () => this.#disconnect(client));
    client.on('end', () => this.#disconnect(client));
    client.on('notification', ({ channel, payload }) => {
      if (this.#client !== client) return;
      try {
        this.#callbacks.onNotification(channel, payload ?? '');
      } catch {
        // An invalidation was not applied. A new connection clears the caches.
        this.#disconnect(client);
      }
    });
    try {
      await client.connect();
      // The server ends a statement that nobody waits for any more, one second after this process gives up. If it ended a commit that waits
      // for a standby, PostgreSQL would report that commit as done.
      await this.query(`set statement_timeout = ${responseTimeoutMs + 1000}`);
      await this.query(`listen ${invalidationsChannel}`);
      await this.query(`listen ${confirmationsChannel}`);
      await this.query(`listen ${jobsChannel}`);
      await this.#register();
    } catch {
      this.#disconnect(client);
    }
  }

  /** Runs a statement on this connection. Without a response in time, the connection is closed. */
  async query<R>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const client = this.#client;
    if (!client) throw new Error('there is no connection for invalidations');
    const timer = setTimeout(() => this.#disconnect(client), responseTimeoutMs);
    try {
      return (await client.query(text, [...values])).rows;
    } finally {
      clearTimeout(timer);
    }
  }

  reconnect(): void {
    if (this.#client) this.#disconnect(this.#client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.lease.drop();
    clearTimeout(this.#timer);
    await this.query(removeInstances, [[...this.#ids]]).catch(() => undefined);
    const [client, socket] = [this.#client, this.#socket];
    this.#client = undefined;
    // If the network is broken, the end of the connection is never reported.
    const timer = setTimeout(() => socket?.destroy(), responseTimeoutMs);
    await client?.end().catch(() => undefined);
    clearTimeout(timer);
  }

  /** Called after LISTEN: the snapshot includes all earlier commits, and this instance is notified of later ones. */
  async #register(): Promise<void> {
    const earlierIds = [...this.#ids];
    const id = randomBytes(24).toString('base64url');
    this.#ids.add(id);
    this.#id = id;
    const client = this.#client;
    const sentAt = readClocks();
    const [row] = await this.query<ClockRow>(registerInstance, [id, earlierIds]);
    if (!(await this.#callbacks.isRegistered(id)))
      throw new Error('invalidations come from another server than the rows');
    if (this.#client !== client || !row) return;
    for (const earlierId of earlierIds) this.#ids.delete(earlierId);
    this.#callbacks.clearCaches();
    this.#extendLease(sentAt, row);
  }

  async #renew(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    try {
      const sentAt = readClocks();
      const [row] = await this.query<ClockRow>(renewInstance, [this.#id]);
      if (this.#client !== client) return;
      if (!row) return await this.#reregister();
      this.#extendLease(sentAt, row);
      await this.#removeSilent();
    } catch {
      this.#disconnect(client);
    }
  }

  async #reregister(): Promise<void> {
    this.lease.drop();
    await this.#register();
  }

  #extendLease(sentAt: ClockReading, { time, renewals }: ClockRow): void {
    if (this.#isClosed) return;
    this.renewals.add(this.#id, { renewals, sentAt });
    this.lease.renew(sentAt);
    this.#clock.set({ time, sentAt: sentAt.monotonic, receivedAt: performance.now() });
    this.#timer = setTimeout(() => void this.#renew(), renewIntervalMs);
  }

  async #removeSilent(): Promise<void> {
    const rows = await this.query<InstanceRow>(listInstances);
    const silent = this.#silent.find(
      rows.filter(({ id }) => !this.#ids.has(id)),
      performance.now(),
    );
    if (silent.length === 0) return;
    await this.query(removeSilentInstances, [silent.map(({ id }) => id), silent.map(({ renewals }) => renewals)]);
  }

  #disconnect(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    // First, because this instance misses invalidations from here on.
    this.lease.drop();
    this.#socket?.destroy();
    clearTimeout(this.#timer);
    this.#callbacks.onDisconnect([...this.#ids]);
    this.#scheduleReconnect();
  }

  #scheduleReconnect(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#openOrRetry(), reconnectDelayMs);
  }

  /** Looks for the primary first, because another server may have become the primary. */
  async #openOrRetry(): Promise<void> {
    try {
      await this.#primary.find();
    } catch {
      return this.#scheduleReconnect();
    }
    await this.open();
  }
}
