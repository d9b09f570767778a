import type { Context } from './context.ts';
import { serveHealth } from './http/health.ts';
import { describeApi, serveOpenApi } from './http/openapi.ts';
import { type App, createServer } from './http/server.ts';
import { unauthorized } from './http/unauthorized.ts';

/** The composition root: what the service consists of, in the order in which it is put together. */
export async function buildApp(context: Context): Promise<App> {
  const app = await createServer(context, {
    bearer() {
      throw unauthorized('token_malformed');
    },
    async web() {
      throw unauthorized('token_missing');
    },
  });
  await describeApi(app, context.config);
  serveHealth(app, context, []);
  serveOpenApi(app);
  return app;
}
