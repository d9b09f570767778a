import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../../database/context.ts';
import { BoundedMap } from '../../../platform/bounded-map.ts';
import { type LastUse, writeLastUses } from '../store/session-store.ts';

/** The last use is written about once a minute, not once per request. */
const resolution = 60_000;
const batch = 500;
const remembered = 100_000;

/** The sender of a request. Read `ip` only to store it: Node asks the operating system each time. */
export interface Sender {
  readonly ip: string;
  readonly method?: string;
  readonly url?: string;
  readonly headers?: IncomingHttpHeaders;
}

/** Collects the times and addresses of session uses, and writes them in batches. */
export class LastUses {
  readonly #context: Context;
  #waiting = new Map<string, LastUse>();
  readonly #written = new BoundedMap<string, number>(remembered);
  #writing: Promise<void> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  record(sessionId: string, now: number, sender: Sender | null): void {
    const written = this.#written.get(sessionId);
    if (written !== undefined && now - written < resolution && now >= written) return;
    if (this.#waiting.size >= remembered) return;
    this.#waiting.set(sessionId, { id: sessionId, at: now, address: sender?.ip ?? null });
  }

  /** One write at a time. Uses during a write wait for the next. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.size === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { database, log } = this.#context;
    const uses = [...this.#waiting.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.#waiting = new Map();
    for (const { id, at } of uses) this.#written.set(id, at);
    try {
      for (let i = 0; i < uses.length; i += batch) {
        await writeLastUses(database.db, database.engine, uses.slice(i, i + batch));
      }
    } catch (error) {
      log.warn({ err: error, sessions: uses.length }, 'the last use of some sessions was not written');
    }
  }
}
