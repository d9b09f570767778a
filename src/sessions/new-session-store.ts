import { sql } from 'kysely';
import { secretCounts } from '../clients/secret-store.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Database, Db, Tx } from '../database/database.ts';
import type { SessionRow } from './session-store.ts';

/** The other columns of a new session have their defaults. */
const columns = [
  ...(['id', 'type', 'user_id', 'client_id', 'name', 'scopes', 'created_at', 'expires_at'] as const),
  ...(['revealed_at', 'address', 'user_agent'] as const),
] as const;

const insert = compiledQuery((db, row: SessionRow) =>
  db
    .insertInto('sessions')
    .values(Object.fromEntries(columns.map((column) => [column, row[column]])) as unknown as SessionRow),
);

export const insertSession = async (db: Db | Tx, row: SessionRow): Promise<void> => void (await insert.run(db, row));

const insertHeld = compiledQuery((db, row: SessionRow & { secretId: string | null; now: number }) =>
  db
    .insertInto('sessions')
    .columns(columns)
    .expression(db.selectNoFrom(columns.map((column) => sql`${row[column]}`.as(column))).where(secretCounts(db, row)))
    .returning('id'),
);

/** The same outside of transactions, as long as the client's secret counts; says whether it does. */
export const storeSession = async (database: Database, row: SessionRow, secretId: string | null): Promise<boolean> =>
  (await insertHeld.write(database, { ...row, secretId, now: row.created_at })).length > 0;
