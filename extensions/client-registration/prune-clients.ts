import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { removeClient } from '../../src/oauth/clients/client-store.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { findUnusedClients } from './registration-store.ts';

const keptMs = 30 * 86_400_000;
/** A small batch, so that requests that wait for it are not slow. */
const batch = 50;

/** Removes registered applications, and applications from client documents, that were not used for 30 days. */
export async function pruneClients(context: Context): Promise<void> {
  const { database, now } = context;
  for (;;) {
    const removed = await commitAndInvalidate(database, async (tx, invalidate) => {
      const unused = await findUnusedClients(tx, { before: now() - keptMs, limit: batch });
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
