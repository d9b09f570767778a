import type { Context } from '../../src/database/context.ts';
import { decrementCounts } from '../../src/identity/throttle/throttle-store.ts';
import { hashShortToken } from '../../src/oauth/clients/secrets/short-token.ts';
import type { RegisteredClients } from '../../src/oauth/oauth.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { ClientDocuments } from './client-documents.ts';
import type { MetadataServices } from './client-metadata.ts';
import { endRegistrationToken, writeClientUse, writeFirstUse } from './registration-store.ts';

/** The last use is written at most once a day. */
const useResolutionMs = 86_400_000;

export function createRegisteredClients(context: Context, metadataServices: MetadataServices): RegisteredClients {
  const { database, now } = context;
  const { db } = database;
  const documents = new ClientDocuments(context, metadataServices);
  return {
    refreshDocument: (id, source) => documents.refresh(id, source),
    async recordUse({ id }) {
      const at = now();
      const firstUse = await writeFirstUse(db, id, at);
      if (!firstUse) return writeClientUse(db, id, at, useResolutionMs);
      const { countedAs = [] } = parseJson(firstUse.metadata);
      await decrementCounts(db, countedAs, at);
    },
    reportToken: ({ token, source }) =>
      db.transaction().execute(async (tx) => {
        const clientId = await endRegistrationToken(tx, hashShortToken(token));
        const data = { what: 'a registration token' };
        await recordEvent(context, tx, { type: 'token.reported', clientId, source, data });
      }),
  };
}
