import type { Db } from '../../database/database.ts';
import { type EventFilter, type EventRow, eventsAfter } from './event-store.ts';

/** An event is dated when it is recorded, and seen when its transaction commits, which may be this much later. */
const overlap = 60_000;
const batch = 1000;
const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The smallest id of a millisecond (RFC 9562 5.7: the first 48 bits are the time). */
function firstIdOf(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** What is new in the trail since it was last asked, each event once, however late its transaction committed. */
export class EventFollower {
  readonly #db: Db;
  readonly #filter: EventFilter;
  #newest: number;
  /** Seen already, of the time that is read again. */
  #seen = new Set<string>();

  /** `seen`: what is known before the first question. */
  constructor(db: Db, filter: EventFilter, { now, seen }: { now: number; seen: readonly EventRow[] }) {
    this.#db = db;
    this.#filter = filter;
    this.#newest = now;
    this.#note(seen);
  }

  async next(): Promise<EventRow[]> {
    const fresh: EventRow[] = [];
    let from = firstIdOf(this.#newest - overlap);
    for (;;) {
      const rows = await eventsAfter(this.#db, from, this.#filter, batch);
      fresh.push(...rows.filter(({ id }) => !this.#seen.has(id)));
      if (rows.length < batch) break;
      from = (rows.at(-1) as EventRow).id;
    }
    this.#note(fresh);
    return fresh;
  }

  #note(rows: readonly EventRow[]): void {
    for (const { id } of rows) {
      this.#seen.add(id);
      this.#newest = Math.max(this.#newest, timeOf(id));
    }
    const oldest = firstIdOf(this.#newest - overlap);
    for (const id of this.#seen) if (id < oldest) this.#seen.delete(id);
  }
}
