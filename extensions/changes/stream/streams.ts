import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Invalidation } from '../../../src/database/bus.ts';
import type { Context } from '../../../src/database/context.ts';
import { Problem, tooManyRequests } from '../../../src/platform/errors.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { Poller } from '../../../src/resources/queue/poller.ts';
import type { ChangeLog } from '../log/change-log.ts';
import type { LogRow } from '../log/change-store.ts';
import { advancePosition } from '../log/position.ts';
import { type LoggedChange, loggedChanges } from '../view/logged-change.ts';
import { recordedResources, visibilityEvaluator } from '../view/subscription.ts';
import type { Stream } from './stream.ts';

const sweepEveryMs = 1000;
/** The interval of the query for changes of other processes, while there are subscribers. */
const pollIntervalMs = 100;
const batchSize = 500;
/** A stream that catches up pauses when it has this many unread bytes. */
const maxBytesAhead = 256 * 1024;

const sizeOf = ({ before, after }: LogRow): number => (before?.length ?? 0) + (after?.length ?? 0);

/**
 * The open streams of this instance. A revocation closes the affected streams before it is acknowledged. A revocation by another process
 * that shares a SQLite file closes them at the next query for changes. Before that, and without a lease on invalidations, nothing is sent.
 */
export class Streams {
  readonly #context: Context;
  readonly #log: ChangeLog;
  readonly #resources: Resources;
  readonly #recorded: readonly string[];
  readonly #open = new Set<Stream>();
  readonly #byAccount = new Map<string, number>();
  readonly #poller: Poller;
  /** All live streams have handled the changes up to here. */
  #head = 0;
  #sweep: NodeJS.Timeout | undefined;

  constructor(context: Context, log: ChangeLog, resources: Resources) {
    this.#context = context;
    this.#log = log;
    this.#resources = resources;
    this.#recorded = [...recordedResources(resources).keys()];
    this.#poller = new Poller(context.log, {
      poll: async () => this.#deliver(await log.observe()),
      isNeeded: () => this.#open.size > 0,
      intervalMs: pollIntervalMs,
      failureMessage: 'the change log could not be read; Gatehouse tries again',
    });
    context.database.bus.subscribe((invalidation) => this.#invalidate(invalidation));
  }

  get size(): number {
    return this.#open.size;
  }

  /** Registers the stream. From here on, it ends when the caller's rights end. Responds 429 if the caller has too many streams. */
  add(stream: Stream): void {
    const { account } = stream;
    const count = this.#byAccount.get(account) ?? 0;
    const most = this.#context.config.streamsPerCaller;
    if (count >= most) throw tooManyRequests(`At most ${most} streams can be open at once.`, 10);
    this.#byAccount.set(account, count + 1);
    this.#open.add(stream);
    this.#sweep ??= setInterval(() => this.#sweepStreams(), sweepEveryMs).unref();
  }

  remove(stream: Stream): void {
    stream.closed = true;
    if (!this.#open.delete(stream)) return;
    const count = (this.#byAccount.get(stream.account) ?? 1) - 1;
    if (count > 0) this.#byAccount.set(stream.account, count);
    else this.#byAccount.delete(stream.account);
    if (this.#open.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  /** Sends older changes until the stream has caught up with the live ones. */
  async catchUp(stream: Stream): Promise<void> {
    await this.#log.settle();
    const names = [...stream.subscription.resources.keys()];
    while (!stream.closed) {
      const { position } = stream;
      if (position.number >= this.#log.settled) {
        if (!position.shown && this.#join(stream)) return;
        await this.#log.settle();
        continue;
      }
      await this.#log.requireUnpruned(position.number);
      const page = await this.#log.page(position, names, batchSize);
      // Other requests run in between, also when SQLite finds nothing in a long log.
      await nextTurn();
      const at = (number: number) => advancePosition(position, number);
      await this.#catchUpWith(stream, page.rows, at);
      if (!stream.closed) stream.position = at(page.to);
    }
  }

  wake(): void {
    if (this.#open.size > 0) void this.#poller.wake();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
    clearInterval(this.#sweep);
    for (const stream of this.#open) stream.end('service_stops');
  }

  #join(stream: Stream): boolean {
    const isFirst = !this.#open.values().some(({ live }) => live);
    if (isFirst) this.#head = stream.position.number;
    else if (stream.position.number < this.#head) return false;
    stream.live = true;
    this.wake();
    return true;
  }

  async #deliver(settled: number): Promise<void> {
    while (this.#head < settled) {
      const live = [...this.#open].filter((stream) => stream.live);
      if (live.length === 0) return;
      const page = await this.#log.page({ number: this.#head }, this.#recorded, batchSize);
      await this.#send(live, page.rows, (number) => ({ number }));
      for (const stream of live) if (stream.position.number < page.to) stream.position = { number: page.to };
      this.#head = page.to;
    }
  }

  /** Waits for the client to read, because a page of rows can be larger than the allowed buffer. */
  async #catchUpWith(stream: Stream, rows: readonly LogRow[], at: (number: number) => Stream['position']) {
    for (let from = 0; from < rows.length && !stream.closed; ) {
      let [to, size] = [from, 0];
      for (let row = rows[to]; row && size < maxBytesAhead; row = rows[++to]) size += sizeOf(row);
      await this.#send([stream], rows.slice(from, to), at);
      if (stream.unread > maxBytesAhead && !stream.closed) await stream.drained();
      from = to;
    }
  }

  async #send(streams: readonly Stream[], rows: readonly LogRow[], at: (number: number) => Stream['position']) {
    if (rows.length === 0) return;
    const history = await this.#log.history();
    const changes = loggedChanges(this.#resources, rows);
    const views = await this.#viewsOf(changes, streams);
    // Waits a turn after the read, so that every revocation before these writes is known.
    await nextTurn();
    if (!this.#requireLease()) return;
    for (const [i, stream] of streams.entries()) {
      for (const change of changes) {
        if (stream.closed) break;
        if (change.position <= stream.position.number) continue;
        const sides = views[i]?.get(change.resource.name)?.get(change);
        const json = sides && change.jsonFor(sides, history);
        if (json !== undefined) stream.send(at(change.position), json);
      }
    }
  }

  /**
   * Finds the visible changes of each stream. A failure for one subscriber ends only that stream, for example when a rule requires a more
   * recent proof.
   */
  async #viewsOf(changes: readonly LoggedChange[], streams: readonly Stream[]) {
    const evaluate = visibilityEvaluator(this.#context, changes);
    const outcomes = await Promise.allSettled(streams.map(({ subscription }) => evaluate(subscription)));
    const allFailed = outcomes.every(({ status }) => status === 'rejected');
    return outcomes.map((outcome, i) => {
      if (outcome.status === 'fulfilled') return outcome.value;
      const isRefusal = outcome.reason instanceof Problem && outcome.reason.status < 500;
      if (allFailed && !isRefusal) throw outcome.reason;
      streams[i]?.end(isRefusal ? 'access_changed' : 'service_stops');
      return undefined;
    });
  }

  /** Without a lease on invalidations, this instance may have missed a revocation. */
  #requireLease(): boolean {
    if (this.#context.database.bus.isCacheUsable()) return true;
    this.#invalidate({ kind: 'everything', id: '' });
    return false;
  }

  #invalidate(invalidation: Invalidation): void {
    if (invalidation.kind === 'writer') return;
    for (const stream of this.#open) if (stream.affects(invalidation)) stream.end('access_changed');
  }

  #sweepStreams(): void {
    if (!this.#requireLease()) return;
    const [now, beat] = [this.#context.now(), performance.now()];
    for (const stream of this.#open) {
      if (now >= stream.expiresAt) stream.end('token_expired');
      else stream.heartbeat(beat);
    }
  }
}

export const endReason = (error: unknown): 'resync' | 'service_stops' =>
  error instanceof Problem && error.status === 410 ? 'resync' : 'service_stops';
