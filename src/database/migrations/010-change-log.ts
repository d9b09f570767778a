import { PostgresAdapter, sql } from 'kysely';
import { newHistory } from '../change-log/new-history.ts';
import { type ColumnTypes, columnTypes, type Migration } from '../migration.ts';

const statements = ({ text, bigint }: ColumnTypes): string[] => [
  // One row. A copy of the database in another place gets another one, so that positions of one are not taken for the other's.
  `create table change_history (id ${text} primary key, pruned_to ${bigint} not null default 0)`,
  // On SQLite: who writes in the transaction under way. PostgreSQL has a setting for it.
  `create table change_actor (id integer primary key, actor ${text})`,
  `create table change_tickets (id ${text} primary key, sealed_token ${text} not null, expires_at ${bigint} not null)`,
  'create index change_tickets_expires on change_tickets (expires_at)',
];

/** `before` and `after` are JSON objects of stored values, by column. */
const logColumns = ({ text, bigint }: ColumnTypes): string => `
  resource ${text} not null,
  row_id ${text} not null,
  operation ${text} not null,
  version ${bigint},
  before ${text},
  after ${text},
  actor ${text},
  transaction_id ${bigint},
  at ${bigint} not null`;

/** The log of changes, which triggers write. */
export const changeLog: Migration = {
  name: '010-change-log',
  statements,
  async change(tx) {
    const isPostgres = tx.getExecutor().adapter instanceof PostgresAdapter;
    const types = columnTypes(isPostgres ? 'postgres' : 'sqlite');
    // Positions are never used again, whatever was pruned.
    if (isPostgres) await sql`create sequence change_log_position`.execute(tx);
    const position = isPostgres
      ? "position bigint primary key default nextval('change_log_position')"
      : 'position integer primary key autoincrement';
    await sql.raw(`create table change_log (${position}, ${logColumns(types)})`).execute(tx);
    await tx.insertInto('change_actor').values({ id: 1, actor: null }).execute();
    await tx.insertInto('change_history').values({ id: newHistory() }).execute();
  },
};
