import type { Tx } from '../../database/database.ts';
import type { StoredClient } from './client-store.ts';

/** Beside the client, where lists see it. */
export async function noteRegistration(
  tx: Tx,
  clientId: string,
  registration: StoredClient['registration'],
): Promise<void> {
  await tx.updateTable('clients').set({ registration }).where('id', '=', clientId).execute();
}

/** Those that an older version has written. */
export async function noteOlderRegistrations(tx: Tx): Promise<void> {
  await tx
    .updateTable('clients')
    .set((eb) => ({
      registration: eb
        .selectFrom('client_registrations')
        .select('kind')
        .whereRef('client_registrations.client_id', '=', 'clients.id'),
    }))
    .where('registration', 'is', null)
    .where('id', 'in', (eb) => eb.selectFrom('client_registrations').select('client_id'))
    .execute();
}
