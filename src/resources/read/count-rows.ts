import type { Changes, Engine } from '../../database/database.ts';
import type { Resource } from '../model/resource.ts';
import {
  after,
  type Fragment,
  type Place,
  PreparedSelect,
  raw,
  readPrepared,
  readUnprepared,
  sql,
  truth,
} from '../model/sql-text.ts';

/** Counts no further than this, unless it is asked for the exact number: the cost of a count stays that of a page. */
export const countCap = 10_000;

interface Counted {
  readonly n: number;
}

const upTo = (most: number, from: Fragment): Fragment =>
  sql`select count(*) as n from (select 1 as one ${from} limit ${raw(String(most + 1))}) as counted`;

const countsOfAll = new WeakMap<Resource, Partial<Record<Engine, PreparedSelect>>>();

/**
 * All rows of a table, to somewhat above the cap. SQLite counts a table that nothing narrows down by its pages, 2 instead of
 * 250 µs for 10,000 rows; there is no count up to a limit that does so, but the rowids say at most how many there are.
 */
function countOfAll(resource: Resource, engine: Engine): PreparedSelect {
  let counts = countsOfAll.get(resource);
  if (!counts) {
    counts = {};
    countsOfAll.set(resource, counts);
  }
  const table = raw(resource.table);
  counts[engine] ??= new PreparedSelect(
    engine === 'sqlite'
      ? sql`select case when (select max(rowid) from ${table}) - (select min(rowid) from ${table}) < ${raw(String(10 * countCap))} then (select count(*) from ${table}) else (${upTo(2 * countCap, sql`from ${table}`)}) end as n`
      : upTo(countCap, sql`from ${table}`),
  );
  return counts[engine];
}

/** How many rows a table had, and what the database's count of changes was then. */
const lastCounts = new WeakMap<Resource, { readonly rows: number; readonly changes: Changes }>();

/**
 * What the last count still says: the number itself while nothing has changed, any number above the cap while too little
 * has changed to bring it down there, else nothing. Without it, lists of a million rows would cost four times those of ten
 * thousand.
 */
function knownCount(place: Place, resource: Resource): number | undefined {
  const last = lastCounts.get(resource);
  const changes = last && place.changes?.();
  if (!last || changes?.foreign !== last.changes.foreign) return undefined;
  const changed = changes.own - last.changes.own;
  return changed === 0 || last.rows - changed > countCap ? last.rows - changed : undefined;
}

function countAll(place: Place, resource: Resource): number | Promise<number> {
  const known = knownCount(place, resource);
  if (known !== undefined) return known;
  // Before the count: what changes beside it counts as changed since.
  const changes = place.changes?.();
  return after(countOfAll(resource, place.engine).read<Counted>(place, []), ([row]) => {
    const rows = row?.n ?? 0;
    if (changes !== undefined) lastCounts.set(resource, { rows, changes });
    return rows;
  });
}

export interface Counting {
  /** What the rows are taken from, and under which condition. */
  readonly from: Fragment;
  readonly where: Fragment;
  readonly exact: boolean;
  /** The text of the query is the same from one call to the next. */
  readonly repeated: boolean;
}

/** How many rows there are; any number above the cap where there are more, unless `exact`. */
export function countRows(
  place: Place,
  resource: Resource,
  { from, where, exact, repeated }: Counting,
): number | Promise<number> {
  if (where === truth && !exact) return countAll(place, resource);
  const read = repeated ? readPrepared : readUnprepared;
  const rows = read<Counted>(place, exact ? sql`select count(*) as n ${from}` : upTo(countCap, from));
  return after(rows, ([row]) => row?.n ?? 0);
}
