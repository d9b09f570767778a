import type { Selectable } from 'kysely';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type PushedRequest = Selectable<Tables['pushed_requests']>;

export const insertPushedRequest = async (db: Db, row: PushedRequest): Promise<void> =>
  void (await db.insertInto('pushed_requests').values(row).execute());

export const findPushedRequest = (db: Db, id: string): Promise<PushedRequest | undefined> =>
  db.selectFrom('pushed_requests').selectAll().where('id', '=', id).executeTakeFirst();

/** RFC 9126 4: a pushed request works once. False if it was already used. */
export async function consumePushedRequest(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('pushed_requests').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** The time that a user may take to sign in and decide after a request was accepted, in milliseconds. */
export const signInTimeoutMs = 3_600_000;

/** Removes requests that no user can complete any more. */
export const prunePushedRequests = (context: Context): Promise<number> =>
  pruneBefore(context, 'pushed_requests', 'expires_at', context.now() - signInTimeoutMs);
