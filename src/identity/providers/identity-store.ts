import type { Db, Tx } from '../../database/database.ts';

/** The number of identities that the user can sign in with: those of declared and enabled providers. */
export async function countUsableIdentities(db: Db | Tx, userId: string): Promise<number> {
  const rows = await db
    .selectFrom('identities')
    .innerJoin('providers', 'providers.id', 'identities.provider')
    .select('identities.id')
    .where('identities.user_id', '=', userId)
    .where('providers.enabled', '=', 1)
    .execute();
  return rows.length;
}

/** Records that a session began with this identity. False if the identity was unlinked in the meantime. */
export async function recordIdentitySession(
  tx: Tx,
  row: { session_id: string; identity_id: string; upstream_sid: string | null },
): Promise<boolean> {
  const identity = tx.selectFrom('identities').select('id').where('id', '=', row.identity_id);
  const found = await identity.forKeyShare().executeTakeFirst();
  if (found) await tx.insertInto('identity_sessions').values(row).execute();
  return found !== undefined;
}

/** The provider with which a session began. */
export async function providerOfSession(db: Db | Tx, sessionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('identity_sessions')
    .innerJoin('identities', 'identities.id', 'identity_sessions.identity_id')
    .select('provider')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row?.provider;
}

/** Locks before a removal: of two concurrent removals, the second counts what remains after the first. */
export async function lockSignInMethods(tx: Tx, userId: string): Promise<void> {
  for (const table of ['identities', 'passkeys'] as const) {
    await tx.selectFrom(table).select('id').where('user_id', '=', userId).orderBy('id').forUpdate().execute();
  }
}
