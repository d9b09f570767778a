import type { CommitCounts, Database, Engine } from '../../database/database.ts';
import { hasCountingTriggersSql } from '../../database/postgres/batching/count-row-changes.ts';
import type { Resource } from '../model/resource.ts';
import { CompiledStatement, type Executor, readPrepared, readUnprepared } from '../sql/executor.ts';
import { type Fragment, raw, sql, sqlTrue } from '../sql/sql-text.ts';
import { thenMaybe } from '../sql/then-maybe.ts';
import { cacheOf } from './resource-cache.ts';

/** A count stops here, unless the request asks for the exact number. */
export const countCap = 10_000;

interface CountRow {
  readonly n: number;
  /** On PostgreSQL: whether triggers count the changes of the table. */
  readonly countsChanges?: boolean;
}

const countUpTo = (max: number, from: Fragment): Fragment =>
  sql`select count(*) as n from (select 1 as one ${from} limit ${raw(String(max + 1))}) as counted`;

/**
 * Counts the rows of a table, up to somewhat above the cap. On SQLite, counting a whole table by its pages is much faster than counting up
 * to a limit. The range of rowids is an upper bound of the count.
 */
function countAllStatement(resource: Resource, engine: Engine): CompiledStatement {
  const { counts } = cacheOf(resource);
  const table = raw(resource.table);
  const cappedCount = countUpTo(2 * countCap, sql`from ${table}`);
  counts[engine] ??= new CompiledStatement(
    engine === 'sqlite'
      ? sql`select case when (select max(rowid) from ${table}) - (select min(rowid) from ${table}) < ${raw(String(10 * countCap))} then (select count(*) from ${table}) else (${cappedCount}) end as n`
      : sql`select counted.n, ${raw(hasCountingTriggersSql(resource.table))} as "countsChanges" from (${cappedCount}) as counted`,
  );
  return counts[engine];
}

/** The last count, if it is still valid, or if the changes since then cannot have reduced it below the cap. */
function cachedCountOf(resource: Resource, changes: CommitCounts | undefined): number | undefined {
  const last = cacheOf(resource).lastCount;
  if (!last || !changes || changes.generation !== last.changes.generation) return undefined;
  // A replica that lacks these changes has other rows.
  if (
    changes.includesSettledAt &&
    !(last.changes.settledAt !== undefined && changes.includesSettledAt(last.changes.settledAt))
  )
    return undefined;
  const changed = changes.changeCount - last.changes.changeCount;
  return changed === 0 || last.rows - changed > countCap ? last.rows - changed : undefined;
}

/** `changes`: the counters before the count. */
function countAll(executor: Executor, resource: Resource, changes: CommitCounts | undefined): number | Promise<number> {
  const cachedCount = cachedCountOf(resource, changes);
  if (cachedCount !== undefined) return cachedCount;
  const seesSettled =
    !changes?.includesSettledAt || (changes.settledAt !== undefined && changes.includesSettledAt(changes.settledAt));
  return thenMaybe(countAllStatement(resource, executor.engine).read<CountRow>(executor, []), ([row]) => {
    const { n: rows = 0, countsChanges = true } = row ?? {};
    const cache = cacheOf(resource);
    cache.countsChanges = countsChanges;
    if (changes && countsChanges) {
      const { generation, changeCount, settledAt, settled = 'settled' in changes ? undefined : changeCount } = changes;
      if (settled !== undefined && seesSettled)
        cache.lastCount = { rows, changes: { changeCount: settled, generation, settledAt } };
    }
    return rows;
  });
}

/** Reads whether the last count is still valid. Send it together with the page, because it may need a round trip. */
export const readCommitCounts = (executor: Executor, resource: Resource): ReturnType<Database['changes']> =>
  cacheOf(resource).countsChanges ? executor.changes?.() : undefined;

export interface CountQuery {
  readonly from: Fragment;
  readonly where: Fragment;
  readonly exact: boolean;
  /** The SQL text is the same for each call. */
  readonly prepared: boolean;
  readonly changes: ReturnType<Database['changes']>;
}

/** The number of rows. Unless `exact`, it is any number above the cap if there are more rows than the cap. */
export function countRows(
  executor: Executor,
  resource: Resource,
  { from, where, exact, prepared, changes }: CountQuery,
) {
  if (where === sqlTrue && !exact) return thenMaybe(changes, (counts) => countAll(executor, resource, counts));
  const read = prepared ? readPrepared : readUnprepared;
  const rows = read<CountRow>(executor, exact ? sql`select count(*) as n ${from}` : countUpTo(countCap, from));
  return thenMaybe(rows, ([row]) => row?.n ?? 0);
}
