import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { type Bus, type Change, type ChangeListener, tellAll } from './bus.ts';
import type { Tx } from './database.ts';

const changesChannel = 'gatehouse_changes';
const heardChannel = 'gatehouse_heard';
const listenerName = 'gatehouse-listener';
/** An instance that hangs must not hang the others' logouts for longer. */
const patience = 2000;

/**
 * Tells the instances of one database what changed, over LISTEN/NOTIFY. Each one confirms what it heard, so that a
 * revocation is only acknowledged when no instance would still accept the token. An instance without its listening
 * connection is not waited for: it does not answer from its cache until it listens again.
 */
export class PostgresBus implements Bus {
  readonly #url: string;
  readonly #listeners: ChangeListener[] = [];
  readonly #unheard = new Map<string, { missing: number; early: number; done: () => void }>();
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #listening = false;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  async listen(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({ connectionString: this.#url, application_name: listenerName, keepAlive: true });
    const lost = () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#listening = false;
      for (const [, wait] of this.#unheard) wait.done();
      if (!this.#closed) this.#retry = setTimeout(() => void this.listen(), 250);
    };
    this.#client = client;
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', (message) => void this.#hear(message.channel, message.payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${changesChannel}; listen ${heardChannel}`);
      this.#listening = true;
      // Whatever was said while nobody listened here is unknown.
      void tellAll(this.#listeners, [{ kind: 'everything', id: '' }]);
    } catch {
      await client.end().catch(() => undefined);
      lost();
    }
  }

  async announce(tx: Tx, changes: readonly Change[]): Promise<string> {
    const announcement = randomUUID();
    const payload = JSON.stringify([announcement, ...changes.slice(0, 50).map(({ kind, id }) => [kind, id])]);
    // A NOTIFY payload ends at 8,000 bytes: past that, forgetting everything is right and rare.
    const message = changes.length > 50 ? JSON.stringify([announcement, ['everything', '']]) : payload;
    this.#unheard.set(announcement, { missing: Number.POSITIVE_INFINITY, early: 0, done: () => undefined });
    await sql`select pg_notify(${changesChannel}, ${message})`.execute(tx);
    return announcement;
  }

  async settle(announcement: string, changes: readonly Change[]): Promise<void> {
    await tellAll(this.#listeners, changes);
    const wait = this.#unheard.get(announcement);
    if (!wait || !this.#client || !this.#listening) return void this.#unheard.delete(announcement);
    let timer: NodeJS.Timeout | undefined;
    try {
      const { rows } = await this.#client.query(
        'select count(*)::int as n from pg_stat_activity where application_name = $1 and datname = current_database()',
        [listenerName],
      );
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patience);
        wait.missing = rows[0].n - wait.early;
        wait.done = resolve;
        if (wait.missing <= 0 || !this.#listening) resolve();
      });
    } catch {
      // The listening connection was lost: from here on no cache is trusted on this side.
    } finally {
      clearTimeout(timer);
      this.#unheard.delete(announcement);
    }
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Nothing is read ahead here. */
  requestArrived(): void {}

  trusted(): boolean {
    return this.#listening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  async #hear(channel: string, payload: string): Promise<void> {
    if (channel === heardChannel) {
      const wait = this.#unheard.get(payload);
      if (!wait) return;
      wait.early++;
      if (--wait.missing <= 0) wait.done();
      return;
    }
    const [announcement, ...changes] = JSON.parse(payload) as [string, ...[Change['kind'], string][]];
    const reading = tellAll(
      this.#listeners,
      changes.map(([kind, id]) => ({ kind, id })),
    );
    // Confirmed means that no part of this instance goes by the old state: a part that has to read has read by then.
    if (reading) await reading;
    this.#client?.query('select pg_notify($1, $2)', [heardChannel, announcement]).catch(() => undefined);
  }
}
