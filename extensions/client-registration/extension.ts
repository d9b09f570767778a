import type { CreateExtension } from '../../src/main/extension.ts';
import { pruneClients } from './prune-clients.ts';
import { serveRegistration } from './registration-routes.ts';

/** Applications register themselves (RFC 7591, RFC 7592). The first request loads the code that handles it. */
export const createExtension: CreateExtension = (context, { oauth }) => ({
  serveOAuth: (app) => serveRegistration(app, oauth),
  maintenance: [
    {
      name: 'unused applications',
      everyMs: 3_600_000,
      run: () => pruneClients(context),
    },
  ],
});
