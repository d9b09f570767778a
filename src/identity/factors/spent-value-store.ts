import type { Tx } from '../../database/database.ts';

/** Uses up a signed value in the caller's transaction. True for the first use on any instance. */
export async function consumeOnce(tx: Tx, id: string, expiresAt: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('spent_values')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
