import type { Tx } from '../../../database/database.ts';
import type { Authentication } from './authentication.ts';

/** Stores how the owner of a session has just authenticated. */
export async function updateProof(tx: Tx, id: string, { time, amr, acr }: Authentication): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ auth_time: time, amr: JSON.stringify(amr), acr })
    .where('id', '=', id)
    .where('type', '=', 'session')
    .execute();
}
