import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import { systemSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { createClient, findClient } from './client-store.ts';
import { everyScope } from './scopes.ts';

/** The application by which `gatehouse login` signs people in; the same at every service. */
export const cliClientId = 'gatehouse-cli';

/** At start: the command line's own application is there. It is public: whoever has the program has all it knows. */
export async function ensureCliClient(context: Context): Promise<void> {
  const { database, log, now } = context;
  const found = await findClient(database.db, cliClientId);
  if (found && (found.type !== 'application' || !found.public)) {
    log.warn(
      { client: cliClientId },
      'a client of this name is no public application: `gatehouse login` will not work',
    );
  }
  if (found) return;
  await commitAndInvalidate(database, async (tx, invalidate) => {
    const client = {
      id: cliClientId,
      type: 'application',
      name: 'Gatehouse command line',
      userId: null,
      scopes: [everyScope],
      public: true,
    } as const;
    if (!(await createClient(tx, client, now()))) return;
    invalidate({ kind: 'client', id: cliClientId });
    const data = { by: 'settings', type: client.type, scopes: client.scopes };
    await recordEvent(context, tx, { type: 'client.created', clientId: cliClientId, source: systemSource, data });
  });
}
