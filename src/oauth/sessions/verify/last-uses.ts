import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../../database/context.ts';
import { BoundedMap } from '../../../platform/bounded-map.ts';
import { type LastUse, writeLastUses } from '../store/session-store.ts';

/** The last use is written about once a minute, not once per request. */
const resolutionMs = 60_000;
const batchSize = 500;
const maxSessions = 100_000;

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
  #unwritten = new Map<string, LastUse>();
  readonly #writtenAt = new BoundedMap<string, number>(maxSessions);
  #writing: Promise<void> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  record(sessionId: string, now: number, sender: Sender | null): void {
    const writtenAt = this.#writtenAt.get(sessionId);
    if (writtenAt !== undefined && now - writtenAt < resolutionMs && now >= writtenAt) return;
    if (this.#unwritten.size >= maxSessions) return;
    this.#unwritten.set(sessionId, { id: sessionId, at: now, address: sender?.ip ?? null });
  }

  /** One write at a time. Uses during a write wait for the next. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#unwritten.size === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { database, log } = this.#context;
    const uses = [...this.#unwritten.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.#unwritten = new Map();
    for (const { id, at } of uses) this.#writtenAt.set(id, at);
    try {
      for (let i = 0; i < uses.length; i += batchSize) {
        await writeLastUses(database.db, database.engine, uses.slice(i, i + batchSize));
      }
    } catch (error) {
      log.warn({ err: error, sessions: uses.length }, 'the last use of some sessions was not written');
    }
  }
}
