import type { Selectable } from 'kysely';
import type { Db } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';

type TicketRow = Selectable<Tables['change_tickets']>;

export const insertTicket = (db: Db, row: TicketRow) => db.insertInto('change_tickets').values(row).execute();

/** Returns the ticket and removes it, so that it is valid once. */
export async function consumeTicket(db: Db, id: string): Promise<TicketRow | undefined> {
  const [row] = await db.deleteFrom('change_tickets').where('id', '=', id).returningAll().execute();
  return row;
}
