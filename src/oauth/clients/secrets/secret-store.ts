import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Db, Tx } from '../../../database/database.ts';
import { isPostgres, lockThen, sharedLock, trySharedLockSql } from '../../../database/locks/revocation-locks.ts';
import type { Tables } from '../../../database/tables/tables.ts';
import { uuidv7 } from '../../../database/uuid.ts';

/** In place of the id of a key: another system hashed the secret. */
export const importedKeyId = 'foreign';

export type SecretRow = Selectable<Tables['client_secrets']>;

interface Secret {
  /** Null if the client authenticated without a secret. */
  readonly secretId: string | null;
  readonly now: number;
}

/** Locks an active secret until commit. PostgreSQL locks the client first, in the same order as a change of the client. */
export function isSecretActive(db: Db, { secretId, now }: Secret): Expression<SqlBool> {
  const onPostgres = isPostgres(db);
  const active = sql<SqlBool>`exists (select 1 from ${
    onPostgres ? sql`clients as c join client_secrets as s on s.client_id = c.id` : sql`client_secrets as s`
  } where s.id = ${secretId} and (s.expires_at is null or s.expires_at > ${now}) ${
    onPostgres ? sql`for key share of c for share of s` : sql``
  })`;
  const client = sharedLock(sql`(select client_id from client_secrets where id = ${secretId})`);
  return sql<SqlBool>`(cast(${secretId} as text) is null or ${onPostgres ? lockThen(client, active) : active})`;
}

/** Like `isSecretActive`, for many rows (`r` in PostgreSQL). Skips rows whose client or secret is locked. */
export const activeSecretsSql = `active_secrets as materialized (
    select s.id from clients as c join client_secrets as s on s.client_id = c.id
    where s.id = any(array(select secret_id from r where ${trySharedLockSql('client_id')})) and (s.expires_at is null or s.expires_at > (select max(now) from r))
    for key share of c skip locked for share of s skip locked
  )`;
export const isSecretActiveSql = '(r.secret_id is null or r.secret_id in (select id from active_secrets))';

const activeSecretQuery = compiledQuery((db, secret: Secret) =>
  db.selectNoFrom(sql<number>`1`.as('one')).where(isSecretActive(db, secret)),
);

/** Whether the secret is active. It stays active until the transaction ends. */
export const lockSecret = async (db: Db | Tx, secretId: string, now: number): Promise<boolean> =>
  (await activeSecretQuery.run(db, { secretId, now })).length > 0;

/** Deletes a secret by its hash and returns its client. */
export async function deleteSecretByHash(tx: Tx, valueHash: string) {
  const query = tx.deleteFrom('client_secrets').where('value_hash', '=', valueHash).returning('client_id');
  const ended = await query.executeTakeFirst();
  if (!ended) return undefined;
  const { client_id } = ended;
  const owner = tx.selectFrom('clients').select(['type', 'user_id']).where('id', '=', client_id);
  const client = await owner.executeTakeFirst();
  return { client_id, type: client?.type, user_id: client?.user_id ?? null };
}

export interface HashedSecret {
  readonly hash: string;
  readonly keyId: string;
  /** The hash of a secret that this service made. A leak report finds the secret by it. */
  readonly valueHash?: string | null;
}

export const insertSecret = (tx: Tx, clientId: string, { hash, keyId, valueHash }: HashedSecret, now: number) =>
  tx
    .insertInto('client_secrets')
    .values({
      id: uuidv7(now),
      client_id: clientId,
      secret_hash: hash,
      key_id: keyId,
      value_hash: valueHash ?? null,
      created_at: now,
      expires_at: null,
    })
    .execute();

/** Ends the secrets of all clients. Returns the number of clients that had one. */
export async function endAllSecrets(tx: Tx): Promise<number> {
  const ended = await tx.deleteFrom('client_secrets').returning('client_id').execute();
  return new Set(ended.map(({ client_id }) => client_id)).size;
}

/** Sets the end of a client's secrets. Secrets that end earlier do not change. */
export async function endSecrets(tx: Tx, clientId: string, at: number, now: number): Promise<void> {
  await tx
    .updateTable('client_secrets')
    .set({ expires_at: at })
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .execute();
  await tx.deleteFrom('client_secrets').where('client_id', '=', clientId).where('expires_at', '<=', now).execute();
}

/** Removes all secrets of a client. The client stays and can get a new secret. */
export async function removeSecrets(tx: Tx, clientId: string): Promise<void> {
  await tx.deleteFrom('client_secrets').where('client_id', '=', clientId).execute();
}

/** The active secrets of a client. */
export const listSecrets = (db: Db, clientId: string, now: number): Promise<SecretRow[]> =>
  db
    .selectFrom('client_secrets')
    .selectAll()
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute();
