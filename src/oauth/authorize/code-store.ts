import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type CodeRow = Selectable<Tables['authorization_codes']>;

export const insertCode = (tx: Tx, row: CodeRow) => tx.insertInto('authorization_codes').values(row).execute();

export const findCode = (db: Db | Tx, id: string): Promise<CodeRow | undefined> =>
  db.selectFrom('authorization_codes').selectAll().where('id', '=', id).executeTakeFirst();

/** Marks a code as used. Only one request finds it unused. */
export const consumeCode = (tx: Tx, id: string, now: number): Promise<CodeRow | undefined> =>
  tx
    .updateTable('authorization_codes')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

/** Notes the session that a used code opened. A second use of the code ends this session. */
export async function setSessionOfCode(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx.updateTable('authorization_codes').set({ session_id: sessionId }).where('id', '=', id).execute();
}

export async function deleteUnusedCodes(
  tx: Tx,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
): Promise<void> {
  await tx
    .deleteFrom('authorization_codes')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .where('used_at', 'is', null)
    .execute();
}
