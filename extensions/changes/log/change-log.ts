import type { Context } from '../../../src/database/context.ts';
import { type LogPage, lastSqlitePosition, prunedTo, readChanges, readHistory, readHorizon } from './change-store.ts';
import { formatPosition, type Position, parsePosition, resyncRequired } from './position.ts';

const patienceMs = 1000;
const firstPauseMs = 1;
const maxPauseMs = 25;
const maxPending = 100;

interface Pending {
  readonly last: number;
  readonly bound: number;
}

/**
 * The change log in the order of its positions. On PostgreSQL, transactions can commit in another order than that of their positions.
 * So a position becomes readable when all transactions that may have a lower one have ended (docs/decisions/changes-in-order.md).
 */
export class ChangeLog {
  readonly #context: Context;
  /** All transactions with a position up to here have ended. */
  #ended = 0;
  #newest = 0;
  #last = 0;
  #waitingSince: number | undefined;
  #pending: Pending[] = [];
  #history: Promise<string> | undefined;
  #observing: Promise<void> | undefined;

  constructor(context: Context) {
    this.#context = context;
    // Another server may be the primary now.
    context.database.bus.subscribe(({ kind }) => kind === 'everything' && this.#reset());
  }

  /**
   * All changes up to this position are final. Rolled-back positions at the end are not final: after a crash, PostgreSQL may issue them
   * again.
   */
  get settled(): number {
    return Math.min(this.#ended, this.#newest);
  }

  get lag(): number {
    return this.#waitingSince === undefined ? 0 : (performance.now() - this.#waitingSince) / 1000;
  }

  /** Reads up to which position the log is final. A call during a query waits for the next query. */
  async observe(): Promise<number> {
    if (this.#observing) await this.#observing.catch(() => undefined);
    this.#observing ??= this.#observe().finally(() => {
      this.#observing = undefined;
    });
    await this.#observing;
    return this.settled;
  }

  /** Returns when everything written so far is final, or after a second. */
  async settle(): Promise<number> {
    await this.observe();
    const target = this.#last;
    const until = performance.now() + patienceMs;
    for (let pauseMs = firstPauseMs; this.#ended < target; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      if (performance.now() > until) break;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await this.observe();
    }
    return this.settled;
  }

  history(): Promise<string> {
    this.#history ??= readHistory(this.#context.database).catch((error) => {
      this.#history = undefined;
      throw error;
    });
    return this.#history;
  }

  async write(position: Position): Promise<string> {
    return formatPosition(await this.history(), position);
  }

  /** Parses a caller's position. Responds 410 if later changes were pruned, or if the position belongs to another history. */
  async read(name: string, text: string): Promise<Position> {
    const position = parsePosition(await this.history(), name, text);
    await this.observe();
    // Positions that are not final yet belong to this history too.
    const end = Math.max(this.#last, this.settled);
    if (Math.max(position.number, position.shown?.upTo ?? 0) > end)
      throw resyncRequired('The position is ahead of this history.');
    await this.requireUnpruned(position.number);
    // On SQLite, the position of a list says exactly which changes the list includes.
    return this.#context.database.engine === 'sqlite' ? { number: position.number } : position;
  }

  async requireUnpruned(number: number): Promise<void> {
    if (number < (await prunedTo(this.#context.database.db))) throw resyncRequired('The position is too old.');
  }

  async beginning(): Promise<Position> {
    return { number: await prunedTo(this.#context.database.db) };
  }

  page(from: Position, resources: readonly string[], limit: number): Promise<LogPage> {
    const { number, shown } = from;
    return readChanges(this.#context.database.db, { after: number, to: this.settled, resources, limit, shown });
  }

  async #observe(): Promise<void> {
    const { engine, db } = this.#context.database;
    if (engine === 'sqlite') {
      this.#last = await lastSqlitePosition(db);
      this.#ended = this.#last;
      this.#newest = this.#last;
      return;
    }
    const { last, bound, xmin, newest } = await readHorizon(db, this.#ended).catch((error) => {
      // After a crash, PostgreSQL may use transaction ids again.
      this.#pending = [];
      throw error;
    });
    this.#last = last;
    this.#newest = newest;
    for (let [first] = this.#pending; first && xmin >= first.bound; [first] = this.#pending) {
      this.#ended = Math.max(this.#ended, first.last);
      this.#pending.shift();
    }
    if (last <= this.#ended) {
      this.#waitingSince = undefined;
      return;
    }
    this.#waitingSince ??= performance.now();
    if (bound === null || last <= (this.#pending.at(-1)?.last ?? 0)) return;
    if (this.#pending.length === maxPending) this.#pending.pop();
    this.#pending.push({ last, bound });
  }

  #reset(): void {
    this.#ended = 0;
    this.#newest = 0;
    this.#last = 0;
    this.#pending = [];
    this.#history = undefined;
    this.#waitingSince = undefined;
  }
}
