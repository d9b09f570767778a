import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import type { Primary } from '../servers/primary.ts';
import { Beats } from './beats.ts';
import type { CarriedClock } from './carried-clock.ts';
import {
  type ClockRow,
  type InstanceRow,
  listInstances,
  registerInstance,
  removeInstances,
  removeSilent,
  renewInstance,
} from './instance-table.ts';
import { changesChannel, heardChannel, jobsChannel } from './invalidation-messages.ts';
import { Lease, type Moment, thisMoment } from './lease.ts';
import { SilentInstances } from './silent-instances.ts';

/** One late answer must not cost the lease. */
const renewEvery = 1000;
/** A connection that answers later than this is given up, and made again: it may be cut off without a word. */
const answerWithin = 2000;
const retryAfter = 250;

interface NewsListener {
  /** Whether reads go to the server that sends the invalidations: that server has the instance under this id. */
  isKnown(id: string): Promise<boolean>;
  /** In the order in which the database sent it. */
  hear(channel: string, payload: string): void;
  /** Nothing that was remembered before may be used: changes since then were missed. */
  startAnew(): void;
  /** The connection is gone, and with it the lease: nobody needs to wait for the instance under these ids. */
  lost(ids: readonly string[]): void;
}

/**
 * The one connection that hears what other instances changed, and by which this one is known to them. The lease is renewed
 * over it alone, so that an answer has every earlier change before it.
 */
export class InvalidationConnection {
  readonly lease = new Lease();
  readonly beats = new Beats();
  readonly #primary: Primary;
  readonly #listener: NewsListener;
  readonly #clock: CarriedClock;
  readonly #silent = new SilentInstances();
  /** Ids under which this process may stand in the table. A new one for each connection. */
  readonly #ids = new Set<string>();
  #id = '';
  #client: pg.Client | undefined;
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(primary: Primary, clock: CarriedClock, listener: NewsListener) {
    this.#primary = primary;
    this.#clock = clock;
    this.#listener = listener;
    primary.onMove(() => this.startAgain());
  }

  /** Under which this instance confirms what it hears. */
  get id(): string {
    return this.#id;
  }

  isOwn(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Returns when the connection receives invalidations, or after the first attempt. It then tries again by itself. */
  async open(): Promise<void> {
    if (this.#closed || this.#client) return;
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: this.#primary.current,
      // For people who look at the server: nothing goes by it.
      application_name: 'gatehouse-listener',
      connectionTimeoutMillis: answerWithin,
      keepAlive: true,
      pipeline: true,
      stream: () => socket,
    });
    this.#client = client;
    this.#socket = socket;
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ channel, payload }) => {
      if (this.#client !== client) return;
      try {
        this.#listener.hear(channel, payload ?? '');
      } catch {
        // Something is remembered that should not be: nothing is, once the connection starts anew.
        this.#lose(client);
      }
    });
    try {
      await client.connect();
      // The server ends a statement that no one waits for any more. It ends it a second later than we give up, because
      // PostgreSQL reports a commit that waits for a standby as done when it is cut short.
      await this.ask(`set statement_timeout = ${answerWithin + 1000}`);
      await this.ask(`listen ${changesChannel}`);
      await this.ask(`listen ${heardChannel}`);
      await this.ask(`listen ${jobsChannel}`);
      await this.#register();
    } catch {
      this.#lose(client);
    }
  }

  /** A statement over this connection, which is lost when there is no answer in time. */
  async ask<R>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const client = this.#client;
    if (!client) throw new Error('there is no connection for invalidations');
    const timer = setTimeout(() => this.#lose(client), answerWithin);
    try {
      return (await client.query(text, [...values])).rows as R[];
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads or invalidations come from another server from now on. */
  startAgain(): void {
    if (this.#client) this.#lose(this.#client);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.lease.drop();
    clearTimeout(this.#timer);
    await this.ask(removeInstances, [[...this.#ids]]).catch(() => undefined);
    const [client, socket] = [this.#client, this.#socket];
    this.#client = undefined;
    // A connection that is cut off is never told that it has ended.
    const timer = setTimeout(() => socket?.destroy(), answerWithin);
    await client?.end().catch(() => undefined);
    clearTimeout(timer);
  }

  /** Called after LISTEN: the snapshot holds every earlier commit, and later commits are heard. */
  async #register(): Promise<void> {
    const earlier = [...this.#ids];
    const id = randomBytes(24).toString('base64url');
    this.#ids.add(id);
    this.#id = id;
    const client = this.#client;
    const asked = thisMoment();
    const [row] = await this.ask<ClockRow>(registerInstance, [id, earlier]);
    if (!(await this.#listener.isKnown(id))) throw new Error('invalidations come from another server than the rows');
    if (this.#client !== client || !row) return;
    for (const old of earlier) this.#ids.delete(old);
    this.#listener.startAnew();
    this.#granted(asked, row);
  }

  async #renew(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    try {
      const asked = thisMoment();
      const [row] = await this.ask<ClockRow>(renewInstance, [this.#id]);
      if (this.#client !== client) return;
      if (!row) return await this.#reregister();
      this.#granted(asked, row);
      await this.#removeSilent();
    } catch {
      this.#lose(client);
    }
  }

  async #reregister(): Promise<void> {
    this.lease.drop();
    await this.#register();
  }

  #granted(asked: Moment, { time, renewals }: ClockRow): void {
    if (this.#closed) return;
    this.beats.add(this.#id, { renewals, asked });
    this.lease.renew(asked);
    this.#clock.set({ time, asked: asked.monotonic, answered: performance.now() });
    this.#timer = setTimeout(() => void this.#renew(), renewEvery);
  }

  async #removeSilent(): Promise<void> {
    const rows = await this.ask<InstanceRow>(listInstances);
    const silent = this.#silent.find(
      rows.filter(({ id }) => !this.#ids.has(id)),
      performance.now(),
    );
    if (silent.length === 0) return;
    await this.ask(removeSilent, [silent.map(({ id }) => id), silent.map(({ renewals }) => renewals)]);
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    // First of all: from here on invalidations are missed.
    this.lease.drop();
    this.#socket?.destroy();
    clearTimeout(this.#timer);
    this.#listener.lost([...this.#ids]);
    this.#openLater();
  }

  #openLater(): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#openAgain(), retryAfter);
  }

  /** The connection may be lost because another server is the primary now. */
  async #openAgain(): Promise<void> {
    try {
      await this.#primary.find();
    } catch {
      return this.#openLater();
    }
    await this.open();
  }
}
