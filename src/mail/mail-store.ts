import type { Selectable } from 'kysely';
import type { Db, Tx } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type MailRow = Selectable<Tables['mails']>;

export async function insertMail(db: Db | Tx, row: MailRow): Promise<void> {
  await db.insertInto('mails').values(row).execute();
}

/** A look that takes no lock: there is nothing to do most of the time. */
export async function hasDueMails(db: Db, now: number): Promise<boolean> {
  const due = await db
    .selectFrom('mails')
    .select('id')
    .where('next_attempt_at', '<=', now)
    .where((free) => free.or([free('claimed_until', 'is', null), free('claimed_until', '<=', now)]))
    .limit(1)
    .execute();
  return due.length > 0;
}

/** Takes due mails for this instance alone until `claimedUntil`, and counts the attempt. */
export function claimDueMails(db: Db, now: number, claimedUntil: number, limit: number): Promise<MailRow[]> {
  return (
    db
      .updateTable('mails')
      .set((eb) => ({ claimed_until: claimedUntil, attempts: eb('attempts', '+', 1) }))
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('mails')
          .select('id')
          .where('next_attempt_at', '<=', now)
          .where((free) => free.or([free('claimed_until', 'is', null), free('claimed_until', '<=', now)]))
          .orderBy('next_attempt_at')
          .limit(limit),
      )
      // Asked again of the row itself: another instance may have taken it since the list was made.
      .where((free) => free.or([free('claimed_until', 'is', null), free('claimed_until', '<=', now)]))
      .returningAll()
      .execute()
  );
}

export async function deleteMail(db: Db, id: string): Promise<void> {
  await db.deleteFrom('mails').where('id', '=', id).execute();
}

export async function postponeMail(db: Db, id: string, until: number, error: string): Promise<void> {
  await db
    .updateTable('mails')
    .set({ next_attempt_at: until, claimed_until: null, last_error: error })
    .where('id', '=', id)
    .execute();
}

export async function countMails(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('mails')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
