import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { foldEmail } from '../../platform/email-address.ts';

export type EmailChangeRow = Selectable<Tables['email_changes']>;

export const insertEmailChange = (tx: Tx, row: EmailChangeRow) => tx.insertInto('email_changes').values(row).execute();

export function findEmailChange(db: Db, id: string): Promise<EmailChangeRow | undefined> {
  return db.selectFrom('email_changes').selectAll().where('id', '=', id).executeTakeFirst();
}

const isPending = sql<boolean>`(confirmed_at is null and withdrawn_at is null and undone_at is null)`;

/** The change that waits for its confirmation. A user has at most one. */
export function findPendingChange(db: Db, userId: string, now: number): Promise<EmailChangeRow | undefined> {
  return db
    .selectFrom('email_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where(isPending)
    .where('undo_until', '>', now)
    .executeTakeFirst();
}

/** Cancels a pending email change. The link that undoes a change still works. Returns whether there was one. */
export async function withdrawPendingChange(tx: Tx, userId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('email_changes')
    .set({ withdrawn_at: now })
    .where('user_id', '=', userId)
    .where(isPending)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Applies the pending change to this address. Undefined if there is none. */
export function confirmPendingChange(
  tx: Tx,
  change: { userId: string; newEmail: string; now: number; undoUntil: number },
): Promise<EmailChangeRow | undefined> {
  return tx
    .updateTable('email_changes')
    .set({ confirmed_at: change.now, undo_until: change.undoUntil })
    .where('user_id', '=', change.userId)
    .where('new_email', '=', change.newEmail)
    .where(isPending)
    .where('undo_until', '>', change.now)
    .returningAll()
    .executeTakeFirst();
}

/** Closes all changes requested since then: they can no longer be confirmed or undone. */
export async function closeEmailChanges(tx: Tx, userId: string, since: number, now: number): Promise<void> {
  await tx
    .updateTable('email_changes')
    .set({ undone_at: now })
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .where('undone_at', 'is', null)
    .execute();
}

/** Closes all changes of all users that can still be undone. Returns their number. */
export async function closeAllEmailChanges(tx: Tx, now: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('email_changes')
    .set({ undone_at: now })
    .where('undone_at', 'is', null)
    .where('undo_until', '>', now)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Whether another user can still get this address back. */
export async function isReservedForAnother(db: Db, email: string, userId: string, now: number): Promise<boolean> {
  const rows = await db
    .selectFrom('email_changes')
    .select('id')
    .where(sql`lower(old_email)`, '=', foldEmail(email))
    .where('user_id', '!=', userId)
    .where('confirmed_at', 'is not', null)
    .where('undone_at', 'is', null)
    .where('undo_until', '>', now)
    .limit(1)
    .execute();
  return rows.length > 0;
}
