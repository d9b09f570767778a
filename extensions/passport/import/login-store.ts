import type { Insertable, Selectable } from 'kysely';
import type { Tx } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';

export type NewLogin = Insertable<Tables['sessions']>;
type LegacyTokenRow = Selectable<Tables['legacy_tokens']>;

/** What earlier batches and passes left of these logins: their tokens, and their sessions where those are still there. */
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
    ])
    .where('legacy_tokens.session_id', 'in', [...sessionIds])
    .execute();
}

export async function insertLogins(tx: Tx, logins: readonly NewLogin[]): Promise<void> {
  if (logins.length === 0) return;
  await tx
    .insertInto('sessions')
    .values([...logins])
    .onConflict((clash) => clash.column('id').doNothing())
    .execute();
}

/** Until the later of its two tokens ends, with what its scopes stand for here; one that goes on here is its own. */
export async function updateLogin(tx: Tx, id: string, expiresAt: number, scopes: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ expires_at: expiresAt, scopes })
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
      clash
        .column('id')
        .doUpdateSet((eb) => ({ pass: eb.ref('excluded.pass'), expires_at: eb.ref('excluded.expires_at') })),
    )
    .execute();
}

/** Those of these users who are still here. */
export async function findLivingUsers(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function setClientScopes(tx: Tx, id: string, scopes: readonly string[], now: number): Promise<void> {
  await tx
    .updateTable('clients')
    .set((eb) => ({ scopes: JSON.stringify(scopes), updated_at: now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

/** Tokens that earlier passes took and this one did not find live: up to `limit` of them, taken off the list. */
export async function takeUnseenTokens(tx: Tx, pass: number, limit: number): Promise<LegacyTokenRow[]> {
  return tx
    .deleteFrom('legacy_tokens')
    .where('id', 'in', (select) =>
      select.selectFrom('legacy_tokens').select('id').where('pass', '<', pass).limit(limit),
    )
    .returningAll()
    .execute();
}

/** Ends logins of which no token is left, unless they have gone on here. Says which. */
export async function endTokenless(tx: Tx, sessionIds: readonly string[], now: number): Promise<string[]> {
  if (sessionIds.length === 0) return [];
  const ended = await tx
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
            .whereRef('legacy_tokens.session_id', '=', 'sessions.id'),
        ),
      ),
    )
    .returning('id')
    .execute();
  return ended.map(({ id }) => id);
}
