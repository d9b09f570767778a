import { hash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Database, Db, Tx } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import type { IncludedChanges } from './position.ts';

export type LogRow = Selectable<Tables['change_log']>;

/** The id of this log. A restored or promoted PostgreSQL has another one, because committed changes may be missing there. */
export async function readHistory({ engine, db }: Pick<Database, 'engine' | 'db'>): Promise<string> {
  const { id } = await db.selectFrom('change_history').select('id').executeTakeFirstOrThrow();
  if (engine === 'sqlite') return id.slice(0, 10);
  const { rows } = await sql<{ place: string }>`
    select concat_ws(' ', (select system_identifier from pg_control_system()), 'change_log'::regclass::oid,
      substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)) as place`.execute(db);
  return hash('sha256', `${id} ${rows[0]?.place}`, 'hex').slice(0, 10);
}

export async function prunedTo(db: Db): Promise<number> {
  return (await db.selectFrom('change_history').select('pruned_to').executeTakeFirstOrThrow()).pruned_to;
}

/** On SQLite: the last position. All positions before it are committed, because SQLite has one writer. */
export async function lastSqlitePosition(db: Db | Tx): Promise<number> {
  const query = sql<{ last: number }>`select seq as last from sqlite_sequence where name = 'change_log'`;
  return (await query.execute(db)).rows[0]?.last ?? 0;
}

interface Horizon {
  /** The last issued position. Its transaction may still run. */
  readonly last: number;
  /** Higher than the id of every transaction that has a position so far. */
  readonly bound: number | null;
  /** Transactions with lower ids have ended. */
  readonly xmin: number;
  /** The newest committed change, including pruned ones. */
  readonly newest: number;
}

/**
 * On PostgreSQL. Reads the sequence before it takes a transaction id, so that every transaction with a position has a lower id. It takes no
 * id if there are no new positions.
 */
export async function readHorizon(db: Db, ended: number): Promise<Horizon> {
  const { rows } = await sql<Horizon>`
    select last, case when last > ${ended} then pg_current_xact_id()::text::float8 end as bound,
      pg_snapshot_xmin(pg_current_snapshot())::text::float8 as xmin,
      greatest((select max(position) from change_log), (select pruned_to from change_history)) as newest
    from (select case when is_called then last_value else 0 end as last from change_log_position offset 0) as position`.execute(
    db,
  );
  return rows[0] as Horizon;
}

const rangeSize = 10_000;
/** A page ends at this size, because a change can have megabytes, and each stream and webhook reads its own pages. */
const maxPageBytes = 1024 * 1024;

export interface LogPage {
  readonly rows: LogRow[];
  readonly to: number;
}

/** Reads the changes of some resources between two positions, without those that a list already included. */
export async function readChanges(
  db: Db,
  {
    after,
    to,
    resources,
    limit,
    shown,
  }: { after: number; to: number; resources: readonly string[]; limit: number; shown?: IncludedChanges | undefined },
): Promise<LogPage> {
  if (resources.length === 0) return { rows: [], to };
  const end = Math.min(to, after + rangeSize);
  let found = db
    .selectFrom('change_log')
    .where('position', '>', after)
    .where('resource', 'in', resources)
    .orderBy('position')
    .limit(limit);
  if (shown) {
    const isVisible = sql<boolean>`pg_visible_in_snapshot(transaction_id::text::xid8, ${shown.snapshot}::pg_snapshot)`;
    found = found.where((or) =>
      or.or([or('position', '>', shown.upTo), or('transaction_id', 'is', null), or.not(isVisible)]),
    );
  }
  // A sum over a window in the same statement takes four times as long on SQLite, for every stream and webhook after every change.
  const sizes = await found
    .select(['position', sql<number>`coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)`.as('size')])
    .where('position', '<=', end)
    .execute();
  let bytes = 0;
  const lastThatFits = sizes.find(({ size }) => {
    bytes += size;
    return bytes >= maxPageBytes;
  });
  const last = lastThatFits ?? sizes.at(-1);
  if (!last) return { rows: [], to: end };
  const rows = await found.selectAll().where('position', '<=', last.position).execute();
  const isComplete = sizes.length < limit && last === sizes.at(-1);
  return { rows, to: isComplete ? end : last.position };
}

export const changeAt = (db: Db, position: number): Promise<LogRow | undefined> =>
  db.selectFrom('change_log').selectAll().where('position', '=', position).executeTakeFirst();

/** Deletes up to `limit` of the oldest changes before a time. Returns the number of deleted changes. */
export async function pruneChanges(db: Db, before: number, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ position: number; at: number }>`
      select position, at from change_log order by position limit ${limit}`.execute(tx);
    const young = rows.findIndex(({ at }) => at >= before);
    const old = young < 0 ? rows : rows.slice(0, young);
    const last = old.at(-1)?.position;
    if (last === undefined) return 0;
    await tx.deleteFrom('change_log').where('position', '<=', last).execute();
    await tx.updateTable('change_history').set({ pruned_to: last }).where('pruned_to', '<', last).execute();
    return old.length;
  });
}

/** All changes in order, for tests. */
export function allChanges(db: Db, resource: string | undefined): Promise<LogRow[]> {
  const all = db.selectFrom('change_log').selectAll().orderBy('position');
  return (resource === undefined ? all : all.where('resource', '=', resource)).execute();
}
