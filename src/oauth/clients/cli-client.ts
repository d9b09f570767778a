import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import { systemSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { createClient, findClient, removeClient } from './client-store.ts';
import { adminScope, everyScope } from './scopes/scopes.ts';

/** The application that `gatehouse login` uses. Its id is the same in every service. */
export const cliClientId = 'gatehouse-cli';

/** At start: creates the public client of the command line, unless CLI_LOGIN is off. */
export async function ensureCliClient(context: Context): Promise<void> {
  const { config, database, log, now } = context;
  const existing = await findClient(database.db, cliClientId);
  if (!config.cliLogin) {
    if (existing) await commitAndInvalidate(database, (tx, invalidate) => removeClient(tx, invalidate, cliClientId));
    return;
  }
  if (existing && (existing.type !== 'application' || !existing.public)) {
    log.warn(
      { client: cliClientId },
      'a client with this name is not a public application: `gatehouse login` will not work',
    );
  }
  if (existing) return;
  await commitAndInvalidate(database, async (tx, invalidate) => {
    const client = {
      id: cliClientId,
      type: 'application',
      name: 'Gatehouse command line',
      userId: null,
      scopes: [everyScope, adminScope],
      public: true,
    } as const;
    if (!(await createClient(tx, client, now()))) return;
    invalidate({ kind: 'client', id: cliClientId });
    const data = { by: 'settings', type: client.type, scopes: client.scopes };
    await recordEvent(context, tx, { type: 'client.created', clientId: cliClientId, source: systemSource, data });
  });
}
