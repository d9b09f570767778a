import type { Engine } from '../database/database.ts';
import type { Resource } from './resource.ts';
import { after, FixedSelect, type Fragment, type Place, raw, readOnce, readRepeated, sql, truth } from './sql-text.ts';

/** Counts no further than this, unless it is asked for the exact number: the cost of a count stays that of a page. */
export const countCap = 10_000;

interface Counted {
  readonly n: number;
}

const upToCap = (from: Fragment): Fragment =>
  sql`select count(*) as n from (select 1 as one ${from} limit ${raw(String(countCap + 1))}) as counted`;

const countsOfAll = new WeakMap<Resource, Partial<Record<Engine, FixedSelect>>>();

/**
 * All rows of a table, to somewhat above the cap. SQLite counts a table that nothing narrows down by its pages, 2 instead of
 * 250 µs for 10,000 rows; there is no count up to a limit that does so, but the rowids say at most how many there are.
 */
function countOfAll(resource: Resource, engine: Engine): FixedSelect {
  let counts = countsOfAll.get(resource);
  if (!counts) {
    counts = {};
    countsOfAll.set(resource, counts);
  }
  const table = raw(resource.table);
  counts[engine] ??= new FixedSelect(
    engine === 'sqlite'
      ? sql`select case when (select max(rowid) from ${table}) - (select min(rowid) from ${table}) < ${raw(String(10 * countCap))} then (select count(*) from ${table}) else (${upToCap(sql`from ${table}`)}) end as n`
      : upToCap(sql`from ${table}`),
  );
  return counts[engine];
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
  const read = repeated ? readRepeated : readOnce;
  const rows =
    where === truth && !exact
      ? countOfAll(resource, place.engine).read<Counted>(place, [])
      : read<Counted>(place, exact ? sql`select count(*) as n ${from}` : upToCap(from));
  return after(rows, ([row]) => row?.n ?? 0);
}
