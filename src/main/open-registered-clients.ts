import type { Context } from '../database/context.ts';
import { isClientDocument } from '../oauth/clients/client-uris.ts';
import type { OAuth, RegisteredClients } from '../oauth/oauth.ts';
import { lazy } from '../platform/lazy.ts';

/** Loads the extension at the first use of a client document, a registered client or a registration token. */
export function openRegisteredClients(context: Context, known: Pick<OAuth, 'scopes' | 'keys'>): RegisteredClients {
  const open = lazy(async () => {
    const { createRegisteredClients } = await import('../../extensions/client-registration/registered-clients.ts');
    return createRegisteredClients(context, known);
  });
  return {
    async refreshDocument(id, source) {
      if (isClientDocument(context.config, id)) await (await open()).refreshDocument(id, source);
    },
    async recordUse(client) {
      if (client.registration === null) return;
      try {
        await (await open()).recordUse(client);
      } catch (error) {
        context.log.warn({ err: error, client: client.id }, 'the use of a registered client was not noted');
      }
    },
    reportToken: async (report) => (await open()).reportToken(report),
  };
}
