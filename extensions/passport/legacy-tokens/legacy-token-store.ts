import { type Selectable, sql } from 'kysely';
import { compiledQuery } from '../../../src/database/compiled-query.ts';
import type { Database, Db, Tx } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import type { JsonText } from '../../../src/platform/json-text.ts';

export type LegacyKeyRow = Selectable<Tables['legacy_keys']>;

/** The session of a token that was valid in the old service. */
export interface LegacySession {
  readonly id: string;
  readonly type: 'session' | 'personal';
  readonly user_id: string | null;
  readonly client_id: string | null;
  readonly scopes: JsonText<string[]>;
  readonly generation: number;
  readonly used_generation: number | null;
  readonly used_at: number | null;
  readonly created_at: number;
}

const byToken = compiledQuery((db, { id, now }: { id: string; now: number }) =>
  db
    .selectFrom('legacy_tokens')
    .innerJoin('sessions', 'sessions.id', 'legacy_tokens.session_id')
    .select([
      'sessions.id',
      'sessions.type',
      'sessions.user_id',
      'sessions.client_id',
      'sessions.scopes',
      'sessions.generation',
      'sessions.used_generation',
      'sessions.used_at',
      'sessions.created_at',
    ])
    .where('legacy_tokens.id', '=', id)
    .where('legacy_tokens.expires_at', '>', now)
    .where('legacy_tokens.ended_at', 'is', null)
    .where('sessions.revoked_at', 'is', null),
);

export const findLegacySession = async (
  database: Database,
  id: string,
  now: number,
): Promise<LegacySession | undefined> => byToken.readFirst(database, { id, now });

/** Names the user and client of a login whose access token the old service had purged. Only its refresh token names them. */
export async function setSubjectOfLogin(
  db: Db,
  { id, userId, clientId, scopes }: { id: string; userId: string | null; clientId: string; scopes: string },
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ user_id: userId, client_id: clientId, scopes })
    .where('id', '=', id)
    .where('user_id', 'is', null)
    .where('client_id', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Whether the user is enabled and has the same password: a new password ended all logins that were known to be the user's. */
export async function isLoginStillValid(db: Db, userId: string, since: number): Promise<boolean> {
  const user = await db.selectFrom('users').select('disabled').where('id', '=', userId).executeTakeFirst();
  if (!user || user.disabled === 1) return false;
  const changed = await db
    .selectFrom('events')
    .select('id')
    .where('user_id', '=', userId)
    .where('type', 'like', 'password.%')
    .where('created_at', '>=', since)
    .limit(1)
    .execute();
  return changed.length === 0;
}

export async function findNewId(db: Db | Tx, source: string, oldId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('legacy_ids')
    .select('new_id')
    .where('source', '=', source)
    .where('old_id', '=', oldId)
    .executeTakeFirst();
  return row?.new_id;
}

export const readLegacyKeys = (db: Db | Tx) => db.selectFrom('legacy_keys').selectAll().execute();

export async function storeLegacyKey(db: Db | Tx, row: LegacyKeyRow): Promise<void> {
  const { id, ...values } = row;
  await db
    .insertInto('legacy_keys')
    .values({ id, ...values })
    .onConflict((clash) => clash.column('id').doUpdateSet(values))
    .execute();
}

/** Removes up to `limit` expired tokens and returns their number. */
export async function deleteExpired(db: Db, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('legacy_tokens')
    .where('id', 'in', (select) =>
      select.selectFrom('legacy_tokens').select('id').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes the keys after the last token, but not during an import that has not imported any token yet. */
export async function deleteUnusedKeys(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('legacy_keys')
    .where('id', 'in', ['public', 'app'])
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('legacy_tokens').select(sql`1`.as('one')))))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('legacy_passes').select(sql`1`.as('one')).where('finished_at', 'is', null))),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
