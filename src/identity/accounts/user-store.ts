import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { violatedUniqueColumns } from '../../database/constraint-errors.ts';
import type { Db, Engine, Tx } from '../../database/database.ts';
import { lockForRevocation, sharedLock } from '../../database/locks/revocation-locks.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { foldEmail } from '../../platform/email-address.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { Identifier } from './identifiers.ts';

export type UserRow = Selectable<Tables['users']>;

export function findUser(db: Db | Tx, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Emails are stored as written and compared without case. */
const emailIs = (email: string) => sql<boolean>`lower(email) = ${foldEmail(email)}`;

/** By an email, username or phone in its stored form (see `readLogin`). */
export async function findUserByLogin(db: Db, { attribute, value }: Identifier): Promise<UserRow | undefined> {
  const users = db.selectFrom('users').selectAll();
  return (attribute === 'email' ? users.where(emailIs(value)) : users.where(attribute, '=', value)).executeTakeFirst();
}

export const insertUser = (tx: Db, row: Insertable<Tables['users']>) => tx.insertInto('users').values(row).execute();

/** Returns the changed row, or undefined when there is no such user. */
export function updateUser(tx: Tx, id: string, changes: Omit<Updateable<Tables['users']>, 'id' | 'version'>) {
  return tx
    .updateTable('users')
    .set((eb) => ({ ...changes, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Locks the user: no other transaction writes it until this transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  await lockForRevocation(tx, [id]);
  return tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Sets another, confirmed address. Undefined if another user has it. Then the transaction has failed. */
export async function replaceEmail(tx: Tx, id: string, email: string, now: number): Promise<UserRow | undefined> {
  try {
    return await updateUser(tx, id, { email, email_confirmed: 1, updated_at: now });
  } catch (error) {
    if (violatedUniqueColumns(error)) return undefined;
    throw error;
  }
}

/** Replaces the hash of the same password, without an event. Has no effect if the password changed in the meantime. */
export async function replacePasswordHash(db: Db, id: string, oldHash: string, newHash: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ password_hash: newHash })
    .where('id', '=', id)
    .where('password_hash', '=', oldHash)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether the user still has this hash and is enabled. Locked until the transaction ends. */
export async function lockUserWithHash(
  tx: Tx,
  engine: Engine,
  { id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>,
): Promise<boolean> {
  const query = tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('password_hash', '=', password_hash)
    .where('disabled', '=', 0);
  // SQLite runs one write transaction at a time.
  const lockedQuery = engine === 'postgres' ? query.where(sharedLock(sql.ref('id'))).forShare() : query;
  return (await lockedQuery.execute()).length > 0;
}

export const rolesOf = (user: Pick<UserRow, 'roles'>): string[] => parseJson(user.roles);

const uniqueFields = ['email', 'username', 'phone'] as const;
type UniqueField = (typeof uniqueFields)[number];
type UniqueFields = Partial<Pick<UserRow, UniqueField>>;

/** The fields among these whose values another user already has. */
export async function findTakenFields(db: Db, requested: UniqueFields, exceptId = ''): Promise<UniqueField[]> {
  const takenFields: UniqueField[] = [];
  for (const field of uniqueFields) {
    const value = requested[field];
    if (value === undefined || value === null) continue;
    const users = db.selectFrom('users').select('id');
    const owner = await (field === 'email'
      ? users.where(emailIs(value))
      : users.where(field, '=', value)
    ).executeTakeFirst();
    if (owner && owner.id !== exceptId) takenFields.push(field);
  }
  return takenFields;
}

/** Confirms this address of this user. Undefined if the user has another address by now. */
export function markEmailConfirmed(tx: Tx, id: string, email: string, now: number): Promise<UserRow | undefined> {
  return tx
    .updateTable('users')
    .set((eb) => ({ email_confirmed: 1, updated_at: now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('email', '=', email)
    .where('disabled', '=', 0)
    .returningAll()
    .executeTakeFirst();
}

const administrators = (db: Db) =>
  db.selectFrom('users').where('roles', 'like', '%"admin"%').where('disabled', '=', 0).limit(1);

/** Whether there is an enabled administrator, apart from this user. */
export async function hasAdministrator(db: Db, exceptId = ''): Promise<boolean> {
  return (await administrators(db).select('id').where('id', '!=', exceptId).execute()).length > 0;
}

/** The oldest enabled administrator. */
export const findFirstAdministrator = (db: Db): Promise<UserRow | undefined> =>
  administrators(db).selectAll().orderBy('id').executeTakeFirst();

/** The user who was created first, even if deleted or disabled since. */
export const findFirstUser = (db: Db): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().orderBy('id').limit(1).executeTakeFirst();

/** All users in order of creation, for the command line. */
export const listUsers = (db: Db): Promise<UserRow[]> => db.selectFrom('users').selectAll().orderBy('id').execute();

/** Inserts the users whose identifiers are free, in one statement, and returns their ids. */
export async function insertNewUsers(db: Db, rows: readonly Insertable<Tables['users']>[]) {
  const inserted = await db
    .insertInto('users')
    .values([...rows])
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .execute();
  return new Set(inserted.map(({ id }) => id));
}

/** All users who have one of these identifiers. */
export function findByAnyIdentifier(db: Db, { email, username, phone }: Pick<UserRow, 'email' | 'username' | 'phone'>) {
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb.or([emailIs(email ?? ''), eb('username', '=', username), eb('phone', '=', phone)]))
    .execute();
}

const maxLength = 64;

/** A name of the time zone database, as browsers send it. Undefined for other values. */
function readTimeZone(name: string | undefined): string | undefined {
  if (name === undefined || name.length > maxLength || !/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Stores the time zone of a sign-in or a registration. The last value wins. */
export async function saveTimeZone(tx: Tx, userId: string, { timeZone }: RequestSource): Promise<void> {
  const time_zone = readTimeZone(timeZone);
  if (time_zone === undefined) return;
  await tx
    .insertInto('user_time_zones')
    .values({ user_id: userId, time_zone })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ time_zone }))
    .execute();
}

export async function findTimeZone(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('user_time_zones')
    .select('time_zone')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.time_zone;
}
