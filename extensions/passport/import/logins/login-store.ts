import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../../../../src/database/database.ts';
import type { Tables } from '../../../../src/database/tables/tables.ts';

export type ImportedLogin = Insertable<Tables['sessions']>;
type LegacyTokenRow = Selectable<Tables['legacy_tokens']>;

/** The results of earlier batches and passes for these logins: their tokens, and their sessions if they still exist. */
export async function findKnownLogins(tx: Tx, sessionIds: readonly string[]) {
  return tx
    .selectFrom('legacy_tokens')
    .leftJoin('sessions', 'sessions.id', 'legacy_tokens.session_id')
    .select([
      'legacy_tokens.id',
      'legacy_tokens.session_id',
      'sessions.expires_at as session_expires_at',
      'sessions.generation',
      'sessions.scopes',
      'sessions.client_id',
      'legacy_tokens.ended_at',
    ])
    .where('legacy_tokens.session_id', 'in', [...sessionIds])
    .execute();
}

export async function insertLogins(tx: Tx, logins: readonly ImportedLogin[]): Promise<void> {
  if (logins.length === 0) return;
  await tx
    .insertInto('sessions')
    .values(logins.map((login) => ({ ...login, prune_at: login.expires_at })))
    .onConflict((clash) => clash.column('id').doNothing())
    .execute();
}

/** Sets the end of the login to the later end of its two tokens, and maps its scopes. Skips a login that was refreshed here. */
export async function updateLogin(
  tx: Tx,
  { id, user_id, client_id }: ImportedLogin,
  values: { readonly expires_at: number; readonly scopes: string },
): Promise<void> {
  // A login without a user and client gets them when the row of its access token exists again.
  const name = client_id ? { user_id, client_id } : {};
  await tx
    .updateTable('sessions')
    .set({ ...values, ...name })
    .where('id', '=', id)
    .where('generation', '=', 0)
    .execute();
}

export async function saveTokens(tx: Tx, tokens: readonly LegacyTokenRow[]): Promise<void> {
  if (tokens.length === 0) return;
  await tx
    .insertInto('legacy_tokens')
    .values([...tokens])
    .onConflict((clash) =>
      clash.column('id').doUpdateSet((eb) => ({
        pass: eb.ref('excluded.pass'),
        expires_at: eb.ref('excluded.expires_at'),
        // A session that has ended stays ended.
        ended_at: eb.case().when('legacy_tokens.ended_at', '=', 0).then(0).else(null).end(),
      })),
    )
    .execute();
}

/** The users among these who exist here and are enabled. */
export async function findLivingUsers(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
    .where('disabled', '=', 0)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Later than any pass, so that later passes skip ended tokens. */
const afterAnyPass = 2_147_483_647;

/** Which logins to count: those of users outside a realm, or those whose tokens this pass does not find in the old service. */
export interface LoginFilter {
  readonly outsideRealm?: string;
  readonly onlyHere?: boolean;
}

/** The live logins of a client or a user, counted for each user. */
export async function countLiveLogins(
  tx: Tx,
  column: 'client_id' | 'user_id',
  id: string,
  now: number,
  { outsideRealm, onlyHere }: LoginFilter = {},
): Promise<{ userId: string | null; logins: number }[]> {
  let query = tx
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .select((eb) => ['sessions.user_id', eb.fn.countAll().as('logins')])
    .where(`sessions.${column}`, '=', id)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', now)
    .groupBy('sessions.user_id');
  if (outsideRealm !== undefined) query = query.where('users.realm', '!=', outsideRealm);
  if (onlyHere) {
    query = query.where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('legacy_tokens')
            .select('legacy_tokens.id')
            .whereRef('legacy_tokens.session_id', '=', 'sessions.id')
            .where('legacy_tokens.ended_at', 'is', null)
            .where('legacy_tokens.expires_at', '>', now),
        ),
      ),
    );
  }
  return (await query.execute()).map(({ user_id, logins }) => ({ userId: user_id, logins: Number(logins) }));
}

/** Ends logins with their client or user. They are restored together with it. */
export async function endLoginsOf(tx: Tx, column: 'client_id' | 'user_id', id: string, now: number): Promise<void> {
  await tx
    .updateTable('legacy_tokens')
    .set({ ended_at: now, pass: afterAnyPass })
    .where('ended_at', 'is', null)
    .where('session_id', 'in', (select) =>
      select
        .selectFrom('sessions')
        .select('id')
        .where(column, '=', id)
        .where('generation', '=', 0)
        .where('revoked_at', 'is', null),
    )
    .execute();
}

/** Up to `limit` tokens that earlier passes imported and that are no longer live at the source. */
export async function endUnseen(tx: Tx, pass: number, now: number, limit: number): Promise<LegacyTokenRow[]> {
  const ended = await tx
    .updateTable('legacy_tokens')
    .set((eb) => ({
      pass: afterAnyPass,
      ended_at: eb
        .case()
        .when(
          eb.exists(
            eb
              .selectFrom('sessions')
              .select('sessions.id')
              .whereRef('sessions.id', '=', 'legacy_tokens.session_id')
              .where('sessions.generation', '=', 0)
              .where((eb) => eb.or([eb('sessions.revoked_at', 'is', null), eb('sessions.revoked_at', '=', now)])),
          ),
        )
        .then(now)
        .else(0)
        .end(),
    }))
    .where('id', 'in', (select) =>
      select
        .selectFrom('legacy_tokens')
        .select('id')
        .where('pass', '<', pass)
        .where('ended_at', 'is', null)
        .limit(limit),
    )
    .returningAll()
    .execute();
  return ended;
}

/** Ends logins without any remaining token, unless they were refreshed here. */
export async function endLoginsWithoutTokens(tx: Tx, sessionIds: readonly string[], now: number): Promise<void> {
  if (sessionIds.length === 0) return;
  await tx
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', 'in', [...sessionIds])
    .where('generation', '=', 0)
    .where('revoked_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('legacy_tokens')
            .select('legacy_tokens.id')
            .whereRef('legacy_tokens.session_id', '=', 'sessions.id')
            .where('legacy_tokens.ended_at', 'is', null),
        ),
      ),
    )
    .execute();
}

/** Restores a login that the import ended. */
export async function restoreLogin(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('sessions').set({ revoked_at: null }).where('id', '=', id).where('generation', '=', 0).execute();
}

/** Logins that were revoked in the old service after they were refreshed here: their number, and the first users. */
export async function findRefreshedHere(db: Db, limit: number): Promise<{ count: number; users: string[] }> {
  const found = db
    .selectFrom('legacy_tokens')
    .innerJoin('sessions', 'sessions.id', 'legacy_tokens.session_id')
    .where('legacy_tokens.ended_at', 'is not', null)
    .where('sessions.generation', '>', 0)
    .where('sessions.revoked_at', 'is', null);
  const rows = await found.select(['sessions.id', 'sessions.user_id']).distinct().limit(limit).execute();
  const { n } = await found
    .select((eb) => eb.fn.count<number>('sessions.id').distinct().as('n'))
    .executeTakeFirstOrThrow();
  return { count: Number(n), users: rows.map(({ id, user_id }) => user_id ?? id) };
}
