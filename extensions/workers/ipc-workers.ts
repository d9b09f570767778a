import type { OtherWorkers, SharedCounts } from '../../src/database/context.ts';
import { unavailable } from '../../src/platform/errors.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import {
  currentWindow,
  type PrimaryMessage,
  type RateLimitCounts,
  toRateLimitCounts,
  type Window,
  type WorkerMessage,
} from './messages.ts';

/** Far from a limit, the other workers may learn of requests a little later. This saves messages. */
const reportEveryMs = 100;
const timeoutMs = 3000;

type CountsListener = Parameters<SharedCounts['onRemoteCounts']>[0];

/** A message with counts, and the totals of all workers at that time. */
interface SentCounts {
  readonly sent: ReadonlyMap<string, Window>;
  readonly totals: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** The other workers. A worker sends them messages through the primary, over the IPC channel of Node. */
export class IpcWorkers implements OtherWorkers {
  readonly #send: (message: WorkerMessage) => void;
  readonly #workers: number;
  readonly #waiting = new Map<number, (text: string) => void>();
  readonly #listeners = new Map<string, CountsListener>();
  #unsent = new Map<string, Window>();
  #readMetrics: () => Promise<object[]> = async () => [];
  #silent = 0;
  #lastRequestId = 0;
  #report: NodeJS.Timeout | undefined;
  #sending: Promise<SentCounts> | undefined;

  constructor(send: (message: WorkerMessage) => void, workers: number) {
    this.#send = send;
    this.#workers = workers;
  }

  counts(name: string): SharedCounts {
    return {
      workers: this.#workers,
      countRequest: (windowEnds, caller) => this.#note(name, windowEnds, caller),
      totalOf: (caller) => this.#numberOf(name, caller),
      onRemoteCounts: (listener) => this.#listeners.set(name, listener),
    };
  }

  get unresponsive(): number {
    return this.#silent;
  }

  provideMetrics(read: () => Promise<object[]>): void {
    this.#readMetrics = read;
  }

  async aggregatedMetrics(): Promise<string> {
    const text = await this.#request((requestId) => ({ is: 'sum', requestId }));
    if (text === undefined) throw unavailable('The metrics of the workers are not available at the moment.', 5);
    return text;
  }

  onMessage(message: PrimaryMessage): void {
    if (message.is === 'response') this.#waiting.get(message.requestId)?.(message.text);
    else if (message.is === 'show') {
      const { requestId } = message;
      void this.#readMetrics().then((figures) => this.#send({ is: 'figures', requestId, figures }));
    } else if (message.is === 'silent') this.#silent = message.count;
    else if (message.is === 'counted')
      for (const { name, windowEnds, counts } of message.counted) this.#listeners.get(name)?.(windowEnds, counts);
  }

  #note(name: string, windowEnds: number, caller: string): void {
    const { counts } = currentWindow(this.#unsent, name, windowEnds);
    counts.set(caller, (counts.get(caller) ?? 0) + 1);
    this.#report ??= setTimeout(() => {
      this.#send({ is: 'counted', counted: toRateLimitCounts(this.#takeUnsent()), requestId: undefined });
    }, reportEveryMs).unref();
  }

  /** Requests in one turn of the event loop share a message. */
  #sendBatch(): Promise<SentCounts> {
    this.#sending ??= new Promise<SentCounts>((resolve) => {
      setImmediate(() => {
        this.#sending = undefined;
        const sent = this.#takeUnsent();
        void this.#request((requestId) => ({ is: 'counted', counted: toRateLimitCounts(sent), requestId })).then(
          (text = '[]') => {
            const totals = parseJson<RateLimitCounts[]>(text).map(
              ({ name, counts }) => [name, new Map(counts)] as const,
            );
            resolve({ sent, totals: new Map(totals) });
          },
        );
      });
    });
    return this.#sending;
  }

  /** The total of the primary, without the requests of this worker that came after this request in the same message. */
  async #numberOf(name: string, caller: string): Promise<number | undefined> {
    const position = this.#unsent.get(name)?.counts.get(caller);
    const { sent, totals } = await this.#sendBatch();
    const [counted, total] = [sent.get(name)?.counts.get(caller), totals.get(name)?.get(caller)];
    return position === undefined || counted === undefined || total === undefined
      ? undefined
      : total - counted + position;
  }

  #takeUnsent(): ReadonlyMap<string, Window> {
    clearTimeout(this.#report);
    this.#report = undefined;
    const unsent = this.#unsent;
    this.#unsent = new Map();
    return unsent;
  }

  /** Undefined if the primary does not respond in time. */
  #request(message: (requestId: number) => WorkerMessage): Promise<string | undefined> {
    const requestId = ++this.#lastRequestId;
    return new Promise((resolve) => {
      const end = (text: string | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(requestId);
        resolve(text);
      };
      const timer = setTimeout(() => end(undefined), timeoutMs);
      this.#waiting.set(requestId, end);
      this.#send(message(requestId));
    });
  }
}
