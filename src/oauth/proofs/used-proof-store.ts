import { hash } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Db } from '../../database/database.ts';
import { insertIfAbsent } from '../../database/insert-if-absent.ts';

/** True for the first use, across all instances. `id` may have any length. */
export const consumeProof = (db: Db, id: string, expiresAt: number): Promise<boolean> =>
  insertIfAbsent(db, 'used_proofs', { id: hash('sha256', id, 'base64url'), expires_at: expiresAt }, 'id');

/** Removes proofs that are too old to be accepted, and unused pushed requests. */
export async function pruneProofs({ database: { db }, now }: Context): Promise<void> {
  const before = now();
  await db.deleteFrom('used_proofs').where('expires_at', '<', before).execute();
  await db.deleteFrom('pushed_requests').where('expires_at', '<', before).execute();
}
