import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { BoundedMap } from '../../../platform/bounded-map.ts';
import { type Bus, everything, type Invalidation, type InvalidationListener, notifyListeners } from '../../bus.ts';
import type { Db, Tx } from '../../database.ts';
import type { Primary } from '../servers/primary.ts';
import type { DatabaseClock } from './database-clock.ts';
import { findInstance, type InstanceRow, isVisibleIn, listInstances, removeInstances } from './instance-table.ts';
import { InvalidationConnection } from './invalidation-connection.ts';
import {
  confirmationBy,
  confirmationsChannel,
  formatAnnouncement,
  formatConfirmation,
  invalidationsChannel,
  jobsChannel,
  parseAnnouncement,
  parseConfirmation,
} from './invalidation-messages.ts';
import { confirmationTimeoutMs, type LeaseRenewals } from './lease.ts';

/** The announcement of a transaction that was rolled back is never settled, so the oldest ones are dropped. */
const maxUnsettled = 10_000;
const maxConfirmations = 1000;
/** After this delay, the table of instances is read again: an instance that registers again does not confirm earlier invalidations. */
const firstRecheckMs = 50;
const maxRecheckMs = 400;

export interface Servers {
  readonly primary: Primary;
  /** The server that sends invalidations: the same address, or the same server without the pooler. */
  readonly listening: Primary;
}

type Query = <R>(text: string, values: readonly unknown[]) => Promise<R[]>;

interface UnsettledAnnouncement {
  readonly transaction: bigint;
  readonly confirmations: Set<string>;
  onConfirmation: () => void;
}

/**
 * Announces invalidations to the instances of one database over LISTEN/NOTIFY. An invalidation is settled when every listening instance
 * has confirmed it, or when the leases of the others have expired. An instance without a lease does not use its caches.
 * docs/decisions/lease-on-invalidations.md explains why this is enough.
 */
export class PostgresBus implements Bus {
  readonly #connection: InvalidationConnection;
  /** Uses the pool, because the connection for invalidations may be lost. */
  readonly #listInstances: () => Promise<InstanceRow[]>;
  readonly #listeners: InvalidationListener[] = [];
  readonly #wakeListeners: (() => void)[] = [];
  readonly #unsettled = new BoundedMap<string, UnsettledAnnouncement>(maxUnsettled);

  constructor({ primary, listening }: Servers, clock: DatabaseClock, query: Query) {
    const hasListenUrl = listening !== primary;
    this.#listInstances = () => query(listInstances, []);
    this.#connection = new InvalidationConnection(listening, clock, {
      isRegistered: async (id) => !hasListenUrl || (await query(findInstance, [id])).length > 0,
      onNotification: (channel, payload) => this.#onNotification(channel, payload),
      clearCaches: () => void notifyListeners(this.#listeners, [everything]),
      // Without this, other instances would wait until this instance is back or counts as silent.
      onDisconnect: (ids) => void query(removeInstances, [ids]).catch(() => undefined),
    });
    if (hasListenUrl) primary.onFailover(() => this.#connection.reconnect());
  }

  /** The renewals by which a replica is compared with the primary. */
  get renewals(): LeaseRenewals {
    return this.#connection.renewals;
  }

  join(): Promise<void> {
    return this.#connection.open();
  }

  async announce(tx: Tx, invalidations: readonly Invalidation[]): Promise<string> {
    // The id is random, because instances confirm every announcement, even a forged one.
    const announcement = randomUUID();
    const message = formatAnnouncement({ announcement, invalidations });
    const { rows } = await sql<{
      transaction: string;
    }>`select pg_current_xact_id()::text as transaction, pg_notify(${invalidationsChannel}, ${message})`.execute(tx);
    const transaction = BigInt(rows[0]?.transaction as string);
    this.#unsettled.set(announcement, { transaction, confirmations: new Set(), onConfirmation: () => undefined });
    return announcement;
  }

  async settle(announcement: string, invalidations: readonly Invalidation[]): Promise<void> {
    const notified = notifyListeners(this.#listeners, invalidations);
    await this.#waitForConfirmations(announcement);
    await notified;
  }

  subscribe(listener: InvalidationListener): void {
    this.#listeners.push(listener);
  }

  async wakeQueues(db: Db | Tx): Promise<void> {
    await sql`select pg_notify(${jobsChannel}, '')`.execute(db);
  }

  onWake(listener: () => void): void {
    this.#wakeListeners.push(listener);
  }

  /** PostgreSQL keeps no snapshot between requests. */
  endSnapshot(): void {}

  isCacheUsable(): boolean {
    return this.#connection.lease.isHeld();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Resolves when all instances have confirmed, or when the leases of the others have expired. */
  async #waitForConfirmations(announcement: string): Promise<void> {
    const unsettled = this.#unsettled.get(announcement);
    const timers = new Set<NodeJS.Timeout>();
    await new Promise<void>((resolve) => {
      timers.add(setTimeout(resolve, confirmationTimeoutMs));
      if (!unsettled) return;
      let expectedConfirmations: readonly string[] | undefined;
      const check = () => {
        if (expectedConfirmations?.every((confirmation) => unsettled.confirmations.has(confirmation))) resolve();
      };
      const recheck = async (list: () => Promise<InstanceRow[]>, delayMs: number) => {
        const timer = setTimeout(() => void recheck(this.#listInstances, Math.min(delayMs * 2, maxRecheckMs)), delayMs);
        timers.add(timer);
        const rows = await list().catch(() => undefined);
        if (rows)
          expectedConfirmations = this.#instancesToConfirm(rows, unsettled.transaction).map((id) =>
            confirmationBy(id, announcement),
          );
        check();
      };
      unsettled.onConfirmation = check;
      void recheck(
        this.isCacheUsable() ? () => this.#connection.query(listInstances) : this.#listInstances,
        firstRecheckMs,
      );
    });
    for (const timer of timers) clearTimeout(timer);
    this.#unsettled.delete(announcement);
  }

  #instancesToConfirm(rows: readonly InstanceRow[], transaction: bigint): string[] {
    return rows
      .filter(({ id, snapshot }) => !this.#connection.isOwn(id) && !isVisibleIn(snapshot, transaction))
      .map(({ id }) => id);
  }

  #onNotification(channel: string, payload: string): void {
    if (channel === confirmationsChannel) this.#addConfirmation(payload);
    else if (channel === invalidationsChannel) this.#applyInvalidations(payload);
    else if (channel === jobsChannel) for (const listener of this.#wakeListeners) listener();
  }

  #addConfirmation(payload: string): void {
    const received = parseConfirmation(payload);
    const unsettled = received && this.#unsettled.get(received.announcement);
    if (!unsettled || unsettled.confirmations.size >= maxConfirmations) return;
    unsettled.confirmations.add(received.confirmation);
    unsettled.onConfirmation();
  }

  #applyInvalidations(payload: string): void {
    const received = parseAnnouncement(payload);
    if (!received) return;
    const { announcement, invalidations } = received;
    const { id } = this.#connection;
    const confirm = () => {
      // An instance does not confirm its own announcements.
      if (this.#unsettled.has(announcement)) return;
      const message = formatConfirmation({ announcement, confirmation: confirmationBy(id, announcement) });
      this.#connection.query('select pg_notify($1, $2)', [confirmationsChannel, message]).catch(() => undefined);
    };
    // Confirms after all listeners have finished, so that no part of this instance still uses the old state.
    const notified = notifyListeners(this.#listeners, invalidations);
    if (notified) void notified.then(confirm);
    else confirm();
  }
}
