import { sql } from 'kysely';
import type { Database, Db } from '../../src/database/database.ts';
import type { EventRow } from '../../src/resources/audit/event-store.ts';

/** All given conditions must hold. */
export interface EventFilter {
  /** `login.failed`, or `login.*` for a prefix. */
  readonly type?: string | undefined;
  /** The user that the event is about, or who caused it. */
  readonly userId?: string | undefined;
  readonly clientId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
}

function select(db: Db, { type, userId, clientId, since }: EventFilter) {
  let query = db.selectFrom('events').selectAll();
  if (type?.endsWith('*')) {
    const start = type.slice(0, -1);
    query = query.where('type', '>=', start).where('type', '<', `${start}\uffff`);
  } else if (type !== undefined) query = query.where('type', '=', type);
  if (userId !== undefined) {
    query = query.where((eb) => eb.or([eb('user_id', '=', userId), eb('actor_id', '=', userId)]));
  }
  if (clientId !== undefined) query = query.where('client_id', '=', clientId);
  return since === undefined ? query : query.where('created_at', '>=', since);
}

/** The newest events, ordered from the oldest to the newest. */
export async function newestEvents(db: Db, filter: EventFilter, limit: number): Promise<EventRow[]> {
  const rows = await select(db, filter).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows.reverse();
}

export const eventsAfter = (db: Db, id: string, filter: EventFilter, limit: number): Promise<EventRow[]> =>
  select(db, filter).where('id', '>', id).orderBy('id').limit(limit).execute();

/** All transactions with an id below `ended` have ended. All transactions that have started have an id below `begun`. */
interface Horizon {
  readonly ended: number;
  readonly begun: number;
}

/** SQLite has one writer, so no older event can appear later. */
const noRunningTransactions: Horizon = { ended: 0, begun: 0 };

export async function readHorizon({ engine, db }: Pick<Database, 'engine' | 'db'>): Promise<Horizon> {
  if (engine === 'sqlite') return noRunningTransactions;
  const { rows } = await sql<Horizon>`
    select pg_snapshot_xmin(snapshot)::text::float8 as ended, pg_snapshot_xmax(snapshot)::text::float8 as begun
    from pg_current_snapshot() as snapshot`.execute(db);
  return rows[0] as Horizon;
}

export async function committedEvents(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('events').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}
