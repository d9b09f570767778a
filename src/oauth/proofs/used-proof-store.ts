import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { insertIfAbsent } from '../../database/insert-if-absent.ts';
import type { Tables } from '../../database/tables/tables.ts';

/** True for the first use, across all instances. `id` may have any length. */
export const consumeProof = (db: Db, id: string, expiresAt: number): Promise<boolean> =>
  insertIfAbsent(db, 'used_proofs', { id: hash('sha256', id, 'base64url'), expires_at: expiresAt }, 'id');

/** Removes proofs that are too old to be accepted, and unused pushed requests. */
export async function pruneProofs({ database: { db }, now }: Context): Promise<void> {
  const before = now();
  await db.deleteFrom('used_proofs').where('expires_at', '<', before).execute();
  await db.deleteFrom('pushed_requests').where('expires_at', '<', before).execute();
}

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
