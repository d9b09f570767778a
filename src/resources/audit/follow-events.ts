import type { Database, Db } from '../../database/database.ts';
import { type EventFilter, type EventRow, eventsAfter, readHorizon } from './event-store.ts';

/** The longest time between the date of an event and its commit. */
const overlap = 60_000;
const batch = 1000;
const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The smallest id of a millisecond (RFC 9562 5.7: the first 48 bits are the time). */
function firstIdOf(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The new events of one query of the audit trail. */
interface Poll {
  rows: readonly EventRow[];
  readonly begun: number;
  /** The time of the newest event at that query. */
  readonly newest: number;
}

/**
 * Returns each new event once and in order, however late its transaction commits. An event waits for the transactions that were
 * running when it was first seen.
 */
export class EventFollower {
  readonly #database: Pick<Database, 'engine' | 'db'>;
  readonly #filter: EventFilter;
  #newest: number;
  /** All events before this time have been seen. */
  #complete: number;
  /** Seen events of the period that is queried again. */
  readonly #seen = new Set<string>();
  readonly #polls: Poll[] = [];

  /** `seen`: events that are already known at the start. */
  constructor(
    database: Pick<Database, 'engine' | 'db'>,
    filter: EventFilter,
    { now, seen }: { now: number; seen: readonly EventRow[] },
  ) {
    this.#database = database;
    this.#filter = filter;
    this.#newest = now;
    this.#complete = now - overlap;
    this.#note(seen);
  }

  async next(): Promise<EventRow[]> {
    const { db } = this.#database;
    const { ended } = await readHorizon(this.#database);
    const rows = await this.#unseen(db);
    const { begun } = await readHorizon(this.#database);
    this.#note(rows);
    this.#polls.push({ rows, begun, newest: this.#newest });
    const waiting = this.#polls.findIndex((poll) => poll.begun > ended);
    const settled = this.#polls.splice(0, waiting < 0 ? this.#polls.length : waiting);
    const last = settled.at(-1);
    if (!last) return [];
    this.#complete = last.newest - overlap;
    const oldest = firstIdOf(this.#complete);
    for (const id of this.#seen) if (id < oldest) this.#seen.delete(id);
    const rowsSettled = settled.flatMap((poll) => poll.rows);
    const newestSettled = rowsSettled.reduce((newest, { id }) => (id > newest ? id : newest), '');
    // A later query may have found events that are older than the settled ones, from transactions that committed late.
    for (const poll of this.#polls) {
      rowsSettled.push(...poll.rows.filter(({ id }) => id < newestSettled));
      poll.rows = poll.rows.filter(({ id }) => id > newestSettled);
    }
    return rowsSettled.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async #unseen(db: Db): Promise<EventRow[]> {
    const fresh: EventRow[] = [];
    let from = firstIdOf(this.#complete);
    for (;;) {
      const rows = await eventsAfter(db, from, this.#filter, batch);
      fresh.push(...rows.filter(({ id }) => !this.#seen.has(id)));
      if (rows.length < batch) return fresh;
      from = (rows.at(-1) as EventRow).id;
    }
  }

  #note(rows: readonly EventRow[]): void {
    for (const { id } of rows) {
      this.#seen.add(id);
      this.#newest = Math.max(this.#newest, timeOf(id));
    }
  }
}
