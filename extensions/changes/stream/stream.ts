import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Invalidation } from '../../../src/database/bus.ts';
import type { Caller } from '../../../src/platform/caller.ts';
import { formatPosition, type Position } from '../log/position.ts';
import type { Subscription } from '../view/subscription.ts';

/** A reader with more unread bytes than this is disconnected. It can reconnect and continue from its last position. */
const maxUnreadBytes = 1024 * 1024;
const maxUnreadMs = 30_000;
const beatEveryMs = 15_000;
/** Milliseconds after which a browser reconnects, with jitter. */
const retryAfter = () => 1000 + Math.round(Math.random() * 2000);

/** The reason that a subscriber gets when its stream ends. */
export type End = 'token_expired' | 'access_changed' | 'resync' | 'service_stops';

export class Stream {
  readonly subscription: Subscription;
  readonly account: string;
  expiresAt = Number.POSITIVE_INFINITY;
  /** All changes up to here were sent, or are not visible to this subscriber. */
  position: Position;
  /** The stream has caught up and receives new changes. */
  live = false;
  closed = false;
  readonly #response: ServerResponse;
  readonly #history: string;
  #nextBeat = performance.now() + beatEveryMs;

  constructor(
    response: ServerResponse,
    history: string,
    options: { readonly subscription: Subscription; readonly account: string; readonly position: Position },
  ) {
    this.#response = response;
    this.#history = history;
    this.subscription = options.subscription;
    this.account = options.account;
    this.position = options.position;
  }

  get caller(): Caller {
    return this.subscription.caller;
  }

  get unread(): number {
    return this.#response.writableLength;
  }

  /** Resolves when the buffer is empty or the stream has ended. A client that reads nothing for too long is disconnected. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#response.off('drain', done).off('close', done);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#cutOff();
        done();
      }, maxUnreadMs);
      this.#response.on('drain', done).on('close', done);
    });
  }

  open(headers: Record<string, number | string | string[] | undefined>): void {
    this.#response.writeHead(200, headers as OutgoingHttpHeaders);
    this.#response.write(`retry: ${retryAfter()}\n: connected\nid: ${this.#id()}\n\n`);
  }

  send(position: Position, json: string): void {
    this.position = position;
    this.#write(`id: ${this.#id()}\ndata: ${json}\n\n`);
  }

  /** A comment that keeps proxies from closing the stream. It also advances the position. */
  heartbeat(now: number): void {
    if (now < this.#nextBeat) return;
    this.#nextBeat = now + beatEveryMs;
    this.#write(`: still here\nid: ${this.#id()}\n\n`);
  }

  end(code: End): void {
    if (this.closed) return;
    this.closed = true;
    if (this.#response.headersSent) this.#response.end(`event: end\ndata: ${JSON.stringify({ code })}\n\n`);
  }

  affects({ kind, id }: Invalidation): boolean {
    const { sessionId, userId, clientId } = this.caller;
    if (kind === 'session') return sessionId === id;
    if (kind === 'user') return userId === id;
    if (kind === 'client') return clientId === id;
    return kind === 'everything' || kind === 'keys';
  }

  #id(): string {
    return formatPosition(this.#history, this.position);
  }

  #write(text: string): void {
    if (this.closed) return;
    if (this.unread > maxUnreadBytes) this.#cutOff();
    else this.#response.write(text);
  }

  #cutOff(): void {
    this.closed = true;
    this.#response.destroy();
  }
}
