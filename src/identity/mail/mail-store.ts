import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

const nobodySends = (now: number) => (free: ExpressionBuilder<Tables, 'mails'>) =>
  free.or([free('claimed_until', 'is', null), free('claimed_until', '<=', now)]);

/** Whether a version before the queue has left mail that nobody is sending. */
export async function hasEarlierMails(db: Db, now: number): Promise<boolean> {
  return (await db.selectFrom('mails').select('id').where(nobodySends(now)).limit(1).execute()).length > 0;
}

/** Takes such mail: it is gone from there when the transaction commits. */
export function takeEarlierMails(tx: Tx, now: number, limit: number): Promise<Selectable<Tables['mails']>[]> {
  return (
    tx
      .deleteFrom('mails')
      .where('id', 'in', (from) => from.selectFrom('mails').select('id').where(nobodySends(now)).limit(limit))
      // Asked of the row itself: an instance of that version may have claimed it since.
      .where(nobodySends(now))
      .returningAll()
      .execute()
  );
}
