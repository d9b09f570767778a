import { type Expression, type SqlBool, sql } from 'kysely';
import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Db, Tx } from '../../../database/database.ts';
import { isPostgres, lockedFirst, sharedLock, tryShared } from '../../../database/locks/revocation-locks.ts';

interface Secret {
  /** Null where the client proved who it is some other way. */
  readonly secretId: string | null;
  readonly now: number;
}

/**
 * For the one statement that writes for a client: that its secret counts, and goes on counting until that is committed.
 * PostgreSQL locks the client before its secret, as whoever changes one does. On SQLite a writer has no neighbours.
 */
export function isSecretActive(db: Db, { secretId, now }: Secret): Expression<SqlBool> {
  const onPostgres = isPostgres(db);
  const counts = sql<SqlBool>`exists (select 1 from ${
    onPostgres ? sql`clients as c join client_secrets as s on s.client_id = c.id` : sql`client_secrets as s`
  } where s.id = ${secretId} and (s.expires_at is null or s.expires_at > ${now}) ${
    onPostgres ? sql`for key share of c for share of s` : sql``
  })`;
  const client = sharedLock(sql`(select client_id from client_secrets where id = ${secretId})`);
  return sql<SqlBool>`(cast(${secretId} as text) is null or ${onPostgres ? lockedFirst(client, counts) : counts})`;
}

/**
 * The same for many rows at once, which a statement on PostgreSQL has as `r`: each secret is looked at, and held, once. Those whose
 * client or secret is being changed are left out.
 */
export const secretsOfEach = `counting as materialized (
    select s.id from clients as c join client_secrets as s on s.client_id = c.id
    where s.id = any(array(select secret_id from r where ${tryShared('client_id')})) and (s.expires_at is null or s.expires_at > (select max(now) from r))
    for key share of c skip locked for share of s skip locked
  )`;
export const isSecretActiveOfEach = '(r.secret_id is null or r.secret_id in (select id from counting))';

const held = compiledQuery((db, secret: Secret) =>
  db.selectNoFrom(sql<number>`1`.as('one')).where(isSecretActive(db, secret)),
);

/** Whether the secret counts; until the transaction ends it goes on doing so. */
export const holdSecret = async (db: Db | Tx, secretId: string, now: number): Promise<boolean> =>
  (await held.run(db, { secretId, now })).length > 0;
