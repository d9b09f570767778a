import { type Expression, type SqlBool, sql } from 'kysely';
import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Database, Db, Tx, WriteResult } from '../../../database/database.ts';
import { exclusiveLock, isPostgres } from '../../../database/locks/revocation-locks.ts';
import { activeSecretsSql, isSecretActive, isSecretActiveSql } from '../../clients/secrets/secret-store.ts';
import { type SessionRow, type TokenSession, tokenColumns } from './session-store.ts';

interface Rotation
  extends Pick<SessionRow, 'id' | 'client_id' | 'generation' | 'expires_at' | 'address' | 'user_agent'> {
  readonly secret_id: string | null;
  readonly now: number;
  /** The session ends this many milliseconds after its login, even if `expires_at` is later. */
  readonly max_age: number;
}

/** The client and its secret are always locked before the session. */
const checkSecretThenLock = (db: Db, { secret_id, now }: Rotation): Expression<SqlBool> => {
  const secretActive = isSecretActive(db, { secretId: secret_id, now });
  return isPostgres(db)
    ? sql<SqlBool>`case when ${secretActive} then ${exclusiveLock(sql.ref('id'))} end`
    : secretActive;
};

const rotateOne = compiledQuery((db, rotation: Rotation & { next: number; loggedInAfter: number }) =>
  db
    .updateTable('sessions')
    .set({
      generation: rotation.next,
      rotated_at: rotation.now,
      expires_at: sql<number>`case when created_at + ${rotation.max_age} < ${rotation.expires_at}
        then created_at + ${rotation.max_age} else ${rotation.expires_at} end`,
      last_used_at: rotation.now,
      address: rotation.address,
      rotated_address: rotation.address,
      user_agent: rotation.user_agent,
    })
    .where('id', '=', rotation.id)
    .where('generation', '=', rotation.generation)
    .where('client_id', '=', rotation.client_id)
    .where('type', '=', 'session')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', rotation.now)
    .where('created_at', '>', rotation.loggedInAfter)
    .where(checkSecretThenLock(db, rotation))
    .returning(tokenColumns),
);

const columns =
  'id text, generation integer, client_id text, secret_id text, now bigint, expires_at bigint, max_age bigint, address text, user_agent text';

/** For many sessions on PostgreSQL. Skips locked rows. Ids come from rows, because PostgreSQL re-plans list parameters. */
const rotateMany = `with r as materialized (
    select * from json_to_recordset($1::json) as rows (${columns})
  ), ${activeSecretsSql}, held as (
    select id from sessions where id = any(array(select id from r)) order by id for no key update skip locked
  )
  update sessions as t set generation = r.generation + 1, rotated_at = r.now,
    expires_at = least(t.created_at + r.max_age, r.expires_at), last_used_at = r.now,
    address = r.address, rotated_address = r.address, user_agent = r.user_agent
  from r join held on held.id = r.id
  where t.id = r.id and t.generation = r.generation and t.client_id = r.client_id
    and t.type = 'session' and t.revoked_at is null and t.expires_at > r.now and t.created_at > r.now - r.max_age
    and ${isSecretActiveSql}
  returning ${tokenColumns.map((column) => `t.${column}`).join(', ')}`;

/** The complete rotation in one statement. Only one request finds the generation unchanged. */
export function rotateSession(database: Database, rotation: Rotation): Promise<WriteResult<TokenSession>> {
  return database.batchWrite ? rotateInBatch(database, database.batchWrite, rotation) : rotateAlone(database, rotation);
}

function rotateAlone(database: Database, rotation: Rotation): Promise<WriteResult<TokenSession>> {
  const values = { ...rotation, next: rotation.generation + 1, loggedInAfter: rotation.now - rotation.max_age };
  return rotateOne.write(database, values);
}

async function rotateInBatch(database: Database, batchWrite: NonNullable<Database['batchWrite']>, rotation: Rotation) {
  const session = await batchWrite<TokenSession>(rotateMany, rotation);
  return session ? { rows: [session], durable: Promise.resolve() } : rotateAlone(database, rotation);
}

interface SessionGeneration {
  readonly id: string;
  readonly generation: number;
  readonly now: number;
}

const updateUsedGeneration = compiledQuery((db, { id, generation, now }: SessionGeneration) =>
  db
    .updateTable('sessions')
    .set({ used_generation: generation, used_at: now })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where((eb) => eb.or([eb('used_generation', 'is', null), eb('used_generation', '<', generation)]))
    .$if(isPostgres(db), (update) => update.where(exclusiveLock(sql.ref('id')))),
);

/** The first call sets the time. A session with a newer generation does not change. */
export const setUsedGeneration = async (database: Database, used: SessionGeneration): Promise<void> =>
  (await updateUsedGeneration.write(database, used)).durable;

/** True once for each generation. */
export async function setRetriedGeneration(tx: Tx, { id, generation }: Omit<SessionGeneration, 'now'>) {
  const marked = await tx
    .updateTable('sessions')
    .set({ retried_generation: generation })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where((eb) => eb.or([eb('retried_generation', 'is', null), eb('retried_generation', '<', generation)]))
    .returning('id')
    .executeTakeFirst();
  return marked !== undefined;
}
