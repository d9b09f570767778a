import type { Database } from '../../src/database/database.ts';
import type { EventRow } from '../../src/resources/audit/event-store.ts';
import { type EventFilter, eventsAfter, readHorizon } from './event-reader-store.ts';

/** The longest time between the date of an event and its commit. */
const overlapMs = 60_000;
const batchSize = 1000;
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
 * Returns a function that returns each new event once and in order, however late its transaction commits. An event waits for the
 * transactions that were running when it was first seen. `knownEvents`: events that are already known at the start.
 */
export function followEvents(
  database: Pick<Database, 'engine' | 'db'>,
  filter: EventFilter,
  { now, knownEvents }: { now: number; knownEvents: readonly EventRow[] },
) {
  let newest = now;
  /** All events before this time have been seen. */
  let completeTo = now - overlapMs;
  /** Seen events of the period that is queried again. */
  const seenIds = new Set<string>();
  const polls: Poll[] = [];

  async function readUnseen(): Promise<EventRow[]> {
    const unseenRows: EventRow[] = [];
    let from = firstIdOf(completeTo);
    for (;;) {
      const rows = await eventsAfter(database.db, from, filter, batchSize);
      unseenRows.push(...rows.filter(({ id }) => !seenIds.has(id)));
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) return unseenRows;
      from = last.id;
    }
  }

  function markSeen(rows: readonly EventRow[]): void {
    for (const { id } of rows) {
      seenIds.add(id);
      newest = Math.max(newest, timeOf(id));
    }
  }

  markSeen(knownEvents);
  return async (): Promise<EventRow[]> => {
    const { ended } = await readHorizon(database);
    const rows = await readUnseen();
    const { begun } = await readHorizon(database);
    markSeen(rows);
    polls.push({ rows, begun, newest });
    const firstUnsettled = polls.findIndex((poll) => poll.begun > ended);
    const settled = polls.splice(0, firstUnsettled < 0 ? polls.length : firstUnsettled);
    const last = settled.at(-1);
    if (!last) return [];
    completeTo = last.newest - overlapMs;
    const oldestId = firstIdOf(completeTo);
    for (const id of seenIds) if (id < oldestId) seenIds.delete(id);
    const settledRows = settled.flatMap((poll) => poll.rows);
    const newestSettledId = settledRows.reduce((latest, { id }) => (id > latest ? id : latest), '');
    // A later query may have found events that are older than the settled ones, from transactions that committed late.
    for (const poll of polls) {
      settledRows.push(...poll.rows.filter(({ id }) => id < newestSettledId));
      poll.rows = poll.rows.filter(({ id }) => id > newestSettledId);
    }
    return settledRows.sort((a, b) => (a.id < b.id ? -1 : 1));
  };
}
