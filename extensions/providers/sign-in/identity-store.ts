import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../../src/database/database.ts';
import { insertIfAbsent } from '../../../src/database/insert-if-absent.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { uuidv7 } from '../../../src/database/uuid.ts';

export type IdentityRow = Selectable<Tables['identities']>;

export const findIdentity = (db: Db | Tx, { issuer, subject }: Pick<IdentityRow, 'issuer' | 'subject'>) =>
  db
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();

/** The names of the providers with which this user has identities. */
export async function findProviderNames(db: Db | Tx, userId: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('identities').select('provider').where('user_id', '=', userId).execute();
  return new Set(rows.map(({ provider }) => provider));
}

/** Returns the id of the new row. Undefined if a user already has this identity. */
export async function insertIdentity(
  tx: Tx,
  { provider, issuer, subject, email }: Pick<IdentityRow, 'provider' | 'issuer' | 'subject' | 'email'>,
  link: { userId: string; roles?: readonly string[] | undefined; now: number; usedAt?: number },
): Promise<string | undefined> {
  const id = uuidv7(link.now);
  const times = { created_at: link.now, last_used_at: link.usedAt ?? null };
  const row = { id, user_id: link.userId, provider, issuer, subject, email, ...times };
  const roles = JSON.stringify(link.roles ?? []);
  return (await insertIfAbsent(tx, 'identities', { ...row, roles }, 'issuer', 'subject')) ? id : undefined;
}

/** Records a sign-in. False if the identity was unlinked in the meantime. */
export async function recordIdentityUse(
  tx: Tx,
  { id, user_id, email, roles, now }: Pick<IdentityRow, 'id' | 'user_id' | 'email' | 'roles'> & { now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('identities')
    .set({ email, roles, last_used_at: now })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Returns the deleted row. */
export const deleteIdentity = (tx: Tx, id: string): Promise<IdentityRow | undefined> =>
  tx.deleteFrom('identities').where('id', '=', id).returningAll().executeTakeFirst();

/** Sessions that began with this identity. `sid` limits them to one session at the provider. */
export async function sessionsOfIdentity(db: Db | Tx, identityId: string, sid: string | null): Promise<string[]> {
  const all = db.selectFrom('identity_sessions').select('session_id').where('identity_id', '=', identityId);
  const rows = await (sid === null ? all : all.where('upstream_sid', '=', sid)).execute();
  return rows.map(({ session_id }) => session_id);
}

/** Sessions of all identities of this issuer that began with one session at the provider. */
export async function sessionsOfUpstreamSession(db: Db | Tx, issuer: string, sid: string): Promise<string[]> {
  const rows = await db
    .selectFrom('identity_sessions')
    .innerJoin('identities', 'identities.id', 'identity_sessions.identity_id')
    .select('session_id')
    .where('identities.issuer', '=', issuer)
    .where('upstream_sid', '=', sid)
    .execute();
  return rows.map(({ session_id }) => session_id);
}
