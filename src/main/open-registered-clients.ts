import type { Context } from '../database/context.ts';
import type { ClientDirectory } from '../oauth/clients/client-directory.ts';
import { isClientDocument } from '../oauth/clients/client-documents.ts';
import type { RegisteredClients } from '../oauth/clients/registered-clients.ts';
import type { OAuth } from '../oauth/oauth.ts';

/** Loads the extension at the first use of a client document, a registered client or a registration token. */
export function openRegisteredClients(
  context: Context,
  clients: ClientDirectory,
  known: Pick<OAuth, 'scopes' | 'keys'>,
): RegisteredClients {
  let opened: Promise<RegisteredClients> | undefined;
  const open = () => {
    opened ??= import('../../extensions/client-registration/registered-clients.ts').then(
      ({ createRegisteredClients }) => createRegisteredClients(context, clients, known),
    );
    return opened;
  };
  return {
    find: async (id, source) =>
      isClientDocument(context.config, id) ? (await open()).find(id, source) : clients.find(id),
    recordUse: async (client) => (client.registration === null ? undefined : (await open()).recordUse(client)),
    reportToken: async (report) => (await open()).reportToken(report),
  };
}
