import type { Config } from '../../src/config/config.ts';
import type { App } from '../../src/http/app.ts';
import { lazy } from '../../src/platform/lazy.ts';
import type { Resources } from '../../src/resources/model/resource.ts';
import type { DeclaredRoutes } from './document/describe-routes.ts';

/** Collects the routes that are declared from now on. */
export function collectRoutes(app: App): DeclaredRoutes {
  const routes: DeclaredRoutes[number][] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  return routes;
}

/** Serves `/openapi.json`. Returns a function that creates the document at its first call: most services are never asked for it. */
export function serveDocument(
  app: App,
  config: Config,
  routes: DeclaredRoutes,
  resources: Resources,
): () => Promise<object> {
  const loadDocument = lazy(async () => {
    const { createDocument } = await import('./document/create-document.ts');
    return createDocument(config, routes, resources);
  });
  // A buffer, which all responses share, even if many clients read slowly.
  const loadJson = lazy(async () => Buffer.from(JSON.stringify(await loadDocument())));
  app.get(
    '/openapi.json',
    { config: { auth: 'public', limited: false }, schema: { hide: true } },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(await loadJson()),
  );
  return loadDocument;
}
