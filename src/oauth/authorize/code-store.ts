import type { Selectable } from 'kysely';
import type { Db, Engine, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type CodeRow = Selectable<Tables['authorization_codes']>;

export const insertCode = async (tx: Tx, row: CodeRow): Promise<void> =>
  void (await tx.insertInto('authorization_codes').values(row).execute());

export const findCode = (db: Db | Tx, id: string): Promise<CodeRow | undefined> =>
  db.selectFrom('authorization_codes').selectAll().where('id', '=', id).executeTakeFirst();

/** Spends a code. Only one request finds it unused. */
export const spendCode = (tx: Tx, id: string, now: number): Promise<CodeRow | undefined> =>
  tx
    .updateTable('authorization_codes')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

/** The session that a used code opened, for a second use. */
export async function noteSessionOfCode(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx.updateTable('authorization_codes').set({ session_id: sessionId }).where('id', '=', id).execute();
}

/** Those that nobody has used yet. */
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

/** Removes up to `limit` codes that expired before then, and says how many. */
export async function deleteOldCodes(db: Db, engine: Engine, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('authorization_codes')
    .where('id', 'in', (select) => {
      const old = select.selectFrom('authorization_codes').select('id').where('expires_at', '<', before).limit(limit);
      // Instances that prune at the same time share the work instead of waiting for each other.
      return engine === 'postgres' ? old.forUpdate().skipLocked() : old;
    })
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
