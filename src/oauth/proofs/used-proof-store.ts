import { hash } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Db } from '../../database/database.ts';
import { insertIfAbsent } from '../../database/insert-if-absent.ts';
import { pruneBefore } from '../../database/prune-in-batches.ts';

/** True for the first use, across all instances. `id` may have any length. */
export const consumeProof = (db: Db, id: string, expiresAt: number): Promise<boolean> =>
  insertIfAbsent(db, 'used_proofs', { id: hash('sha256', id, 'base64url'), expires_at: expiresAt }, 'id');

/** Removes proofs that are too old to be accepted. */
export const pruneProofs = (context: Context): Promise<number> =>
  pruneBefore(context, 'used_proofs', 'expires_at', context.now());
