import type { Tx } from '../../database/database.ts';
import { insertIfAbsent } from '../../database/insert-if-absent.ts';

/** Uses up a signed value in the caller's transaction. True for the first use on any instance. */
export const consumeOnce = (tx: Tx, id: string, expiresAt: number): Promise<boolean> =>
  insertIfAbsent(tx, 'spent_values', { id, expires_at: expiresAt }, 'id');
