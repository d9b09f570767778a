import type { Tx } from '../../../database/database.ts';

export interface LeakedSecret {
  readonly client_id: string;
  readonly type: string | undefined;
  readonly user_id: string | null;
}

/** Ends a secret that is known by its hash, and says whose it was. */
export async function takeSecret(tx: Tx, valueHash: string): Promise<LeakedSecret | undefined> {
  const query = tx.deleteFrom('client_secrets').where('value_hash', '=', valueHash).returning('client_id');
  const ended = await query.executeTakeFirst();
  if (!ended) return undefined;
  const { client_id } = ended;
  const owner = tx.selectFrom('clients').select(['type', 'user_id']).where('id', '=', client_id);
  const client = await owner.executeTakeFirst();
  return { client_id, type: client?.type, user_id: client?.user_id ?? null };
}
