import type { CreateExtension } from '../../src/main/extension.ts';
import { checkProviderSecrets } from './check-providers.ts';
import { Providers } from './client/providers.ts';
import { serveFirstPartyProviders } from './pages/provider-first-party.ts';
import { serveProviders } from './pages/provider-pages.ts';
import { deleteExpired } from './sign-in/attempt-store.ts';
import { createSignInProviders } from './sign-in-providers.ts';
import { syncProviders } from './sync-providers.ts';

/** Sign-in with identity providers. */
export const createExtension: CreateExtension = async (context, { oauth, accounts, factors, proxiedClients }) => {
  const { database, now } = context;
  const providers = await Providers.load(context);
  const services = { context, oauth, accounts, factors, proxiedClients, providers };
  return {
    start: async () => syncProviders(context, await providers.definitions()),
    providers: createSignInProviders(context, providers),
    servePages(app, kit) {
      serveProviders(app, kit, services);
      serveFirstPartyProviders(app, kit, services);
    },
    findings: async () => checkProviderSecrets(await providers.definitions(), now()),
    maintenance: [
      { name: 'old sign-ins with providers', everyMs: 60_000, run: () => deleteExpired(database.db, now()) },
    ],
  };
};
