import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import { insertIfAbsent } from '../../database/insert-if-absent.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { ProviderFailure } from './failure-meanings.ts';

export type IdentityRow = Selectable<Tables['identities']>;

export const findIdentity = (db: Db | Tx, { issuer, subject }: Pick<IdentityRow, 'issuer' | 'subject'>) =>
  db
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();

export const findIdentitiesOf = (db: Db | Tx, userId: string): Promise<IdentityRow[]> =>
  db.selectFrom('identities').selectAll().where('user_id', '=', userId).orderBy('id').execute();

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

type ProviderRow = Selectable<Tables['providers']>;

/** The columns from the declaration of a provider. The other columns record the results of sign-ins. */
export type DeclaredProvider = Pick<
  ProviderRow,
  'id' | 'label' | 'issuer' | 'client_id' | 'redirect_uri' | 'enabled' | 'secret_expires_at'
>;

export const findProviders = (db: Db | Tx): Promise<ProviderRow[]> =>
  db.selectFrom('providers').selectAll().orderBy('id').execute();

/** False if another instance inserted it first. */
export const insertProvider = (tx: Tx, declared: DeclaredProvider, now: number): Promise<boolean> =>
  insertIfAbsent(tx, 'providers', { ...declared, created_at: now }, 'id');

export async function updateProvider(db: Db | Tx, id: string, changes: Partial<ProviderRow>): Promise<void> {
  await db.updateTable('providers').set(changes).where('id', '=', id).execute();
}

export const deleteProvider = (tx: Tx, id: string) => tx.deleteFrom('providers').where('id', '=', id).execute();

export const recordProviderSuccess = (db: Db, id: string, now: number): Promise<void> =>
  updateProvider(db, id, { last_success_at: now });

export const recordProviderFailure = (
  db: Db,
  id: string,
  { code, detail }: ProviderFailure,
  now: number,
): Promise<void> => updateProvider(db, id, { last_failure_at: now, failure: code, failure_detail: detail });
