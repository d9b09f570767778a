import type { CreateExtension } from '../../src/main/extension.ts';
import { serveTokenReports } from './token-report-routes.ts';

/** Reports of leaked tokens (docs/secret-scanning.md). The first report loads the code that handles it. */
export const createExtension: CreateExtension = (_context, { oauth }) => ({
  serveTokens: (app) => serveTokenReports(app, oauth),
});
