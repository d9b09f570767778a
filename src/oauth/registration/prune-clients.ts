import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import { systemSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { removeClient } from '../clients/client-store.ts';
import { findUnusedClients } from './registration-store.ts';

const keptMs = 30 * 86_400_000;
/** Small enough that a request which waits for the batch notices nothing. */
const batch = 50;

/** Removes applications that registered, or were described by their own address, and that nobody used for 30 days. */
export async function pruneClients(context: Context): Promise<void> {
  const { database, now } = context;
  for (;;) {
    const removed = await commitAndInvalidate(database, async (tx, invalidate) => {
      const unused = await findUnusedClients(tx, database.engine, { before: now() - keptMs, limit: batch });
      for (const clientId of unused) {
        await removeClient(tx, invalidate, clientId);
        const data = { by: 'service', unused: true };
        await recordEvent(context, tx, { type: 'client.deleted', clientId, source: systemSource, data });
      }
      return unused.length;
    });
    if (removed < batch) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
