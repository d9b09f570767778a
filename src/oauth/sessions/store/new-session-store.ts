import { sql, type Updateable } from 'kysely';
import { compiledQuery } from '../../../database/compiled-query.ts';
import { isForeignKeyViolation } from '../../../database/constraint-errors.ts';
import type { Database, Tx } from '../../../database/database.ts';
import { isPostgres, lockThen, sharedLock } from '../../../database/locks/revocation-locks.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import { OAuthError } from '../../../platform/errors.ts';
import type { JsonText } from '../../../platform/json-text.ts';
import { invalidClient } from '../../clients/client-rules.ts';
import { activeSecretsSql, isSecretActive, isSecretActiveSql } from '../../clients/secrets/secret-store.ts';
import type { SessionRow } from './session-store.ts';

/** Other columns of a new session have defaults. */
const columns = [
  ...(['id', 'type', 'user_id', 'client_id', 'name', 'scopes', 'created_at', 'expires_at'] as const),
  ...(['prune_at', 'revealed_at', 'address', 'user_agent', 'auth_time', 'amr', 'acr', 'resource', 'details'] as const),
] as const;

const insertOne = compiledQuery((db, row: SessionRow & { secretId: string | null; now: number }) => {
  const values = db.selectNoFrom(columns.map((column) => sql`${row[column]}`.as(column)));
  const secretActive = isSecretActive(db, row);
  // The foreign key locks the client's row, even without a secret.
  const client = sharedLock(sql`coalesce(cast(${row.client_id} as text), '')`);
  return db
    .insertInto('sessions')
    .columns(columns)
    .expression(values.where(isPostgres(db) ? lockThen(client, secretActive) : secretActive))
    .returning('id');
});

const bigintColumns = new Set<string>(['created_at', 'expires_at', 'prune_at', 'revealed_at', 'auth_time']);
const columnDefinitions = columns
  .map((column) => `${column} ${bigintColumns.has(column) ? 'bigint' : 'text'}`)
  .join(', ');
const insertMany = `with r as materialized (
    select * from json_to_recordset($1::json) as rows (${columnDefinitions}, secret_id text, now bigint)
  ), ${activeSecretsSql}
  insert into sessions (${columns.join(', ')})
  select ${columns.map((column) => `r.${column}`).join(', ')} from r
  where ${isSecretActiveSql}
  returning id`;

/** False: store the session alone. A user's session also locks the user's row, and another transaction may hold that lock for long. */
async function insertInBatch(
  batchWrite: NonNullable<Database['batchWrite']>,
  row: SessionRow,
  secret_id: string | null,
): Promise<boolean> {
  if (row.user_id !== null) return false;
  const values = { ...row, secret_id, now: row.created_at };
  return (await batchWrite(insertMany, values)) !== undefined;
}

/** Stores a session if the client's secret is active. Outside a transaction, it returns when the row is on disk. */
export async function insertSession(executor: Database | Tx, row: SessionRow, secretId: string | null): Promise<void> {
  const batchWrite = 'engine' in executor ? executor.batchWrite : undefined;
  if (batchWrite && (await insertInBatch(batchWrite, row, secretId))) return;
  const values = { ...row, secretId, now: row.created_at };
  try {
    const { rows, durable } =
      'engine' in executor
        ? await insertOne.write(executor, values)
        : { rows: await insertOne.run(executor, values), durable: undefined };
    await durable;
    if (rows.length === 0) throw invalidClient('the secret ended meanwhile');
  } catch (error) {
    throw mapForeignKeyError(row, error);
  }
}

/** The user is locked while a session is opened. So if the foreign key fails, the client was deleted. */
function mapForeignKeyError({ client_id }: SessionRow, error: unknown): unknown {
  if (!isForeignKeyViolation(error)) return error;
  if (client_id !== null) return invalidClient('the client was deleted meanwhile');
  return new OAuthError('invalid_grant', 'The user no longer exists.');
}

/** The scopes that the user allowed. */
export const findScopes = (tx: Tx, id: string): Promise<{ scopes: JsonText<string[]> } | undefined> =>
  tx.selectFrom('sessions').select('scopes').where('id', '=', id).executeTakeFirst();

/** Gives a session that waited for its device to the device. Undefined if the session ended in the meantime. */
export const activateSessionForDevice = (tx: Tx, id: string, now: number, changes: Updateable<Tables['sessions']>) =>
  tx
    .updateTable('sessions')
    .set(changes)
    .where('id', '=', id)
    .where('generation', '=', 0)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
