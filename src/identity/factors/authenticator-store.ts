import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type AuthenticatorRow = Selectable<Tables['authenticators']>;

export async function insertAuthenticator(
  tx: Tx,
  row: Omit<AuthenticatorRow, 'last_step' | 'last_used_at' | 'version' | 'session_id'>,
): Promise<void> {
  await tx.insertInto('authenticators').values(row).execute();
}

/** Deletes authenticators that were never confirmed. */
export async function deleteUnconfirmed(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('authenticators').where('user_id', '=', userId).where('confirmed_at', 'is', null).execute();
}

export async function deleteAuthenticator(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('authenticators').where('id', '=', id).execute();
}

export const findConfirmed = (db: Db | Tx, userId: string): Promise<AuthenticatorRow[]> =>
  db
    .selectFrom('authenticators')
    .selectAll()
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .execute();

export const findAuthenticator = (tx: Tx, id: string): Promise<AuthenticatorRow | undefined> =>
  tx.selectFrom('authenticators').selectAll().where('id', '=', id).executeTakeFirst();

/** Uses up a time step in one statement, so that a code works once across all instances (RFC 6238 5.2). */
export async function consumeStep(tx: Tx, id: string, step: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('authenticators')
    .set({ last_step: step, last_used_at: now })
    .where('id', '=', id)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', step)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Confirms the authenticator with its first code, in this session. False if it was already confirmed. */
export async function confirmWithStep(
  tx: Tx,
  id: string,
  { step, sessionId, now }: { step: number; sessionId: string | null; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('authenticators')
    .set(({ eb }) => ({ last_step: step, confirmed_at: now, session_id: sessionId, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
