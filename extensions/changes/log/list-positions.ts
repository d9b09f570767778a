import type { Context } from '../../../src/database/context.ts';
import type { ListPositions } from '../../../src/resources/model/change-feed.ts';
import type { ChangeLog } from './change-log.ts';
import { advancePosition, formatPosition } from './position.ts';

/** The longest time for which a known end of the log is used again. */
const freshMs = 1000;

/**
 * The position of a list in the log. On SQLite, the statement of the list reads it. On PostgreSQL, it is a final position and the snapshot
 * of the list, because transactions commit in another order. Readers skip the changes that are visible in the snapshot.
 */
export function createListPositions({ config, database, now }: Context, log: ChangeLog): ListPositions {
  const isSqlite = database.engine === 'sqlite';
  let history = '';
  let observedAt = Number.NEGATIVE_INFINITY;
  database.bus.subscribe(({ kind }) => {
    if (kind === 'everything') observedAt = Number.NEGATIVE_INFINITY;
  });
  const observe = async () => {
    const began = performance.now();
    history = await log.history();
    const number = isSqlite ? await log.observe() : await log.settle();
    observedAt = began;
    return number;
  };
  return {
    before: () => (performance.now() - observedAt < freshMs && !isSqlite ? log.settled : observe()),
    column: isSqlite
      ? "(select seq from sqlite_sequence where name = 'change_log')"
      : "concat(pg_current_snapshot(), '/', (select max(position) from change_log))",
    write(known, read) {
      if (isSqlite) return formatPosition(history, { number: typeof read === 'number' ? read : known });
      const [snapshot, upTo] = typeof read === 'string' ? read.split('/') : [];
      const shown = snapshot ? { snapshot, upTo: Number(upTo) } : undefined;
      return formatPosition(history, advancePosition({ number: 0, shown }, known));
    },
    get history() {
      return `${history} ${Math.floor(now() / (config.changesRetention * 250))}`;
    },
  };
}
