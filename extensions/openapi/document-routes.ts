import { type Config, roleNames } from '../../src/config/config.ts';
import type { Context } from '../../src/database/context.ts';
import type { App } from '../../src/http/app.ts';
import { CompressedContent } from '../../src/http/compressed-content.ts';
import { lazy } from '../../src/platform/lazy.ts';
import type { Resources } from '../../src/resources/model/resource.ts';
import type { DeclaredRoutes } from './document/describe-routes.ts';

const jsonType = 'application/json; charset=utf-8';

/** Collects the routes that are declared from now on. */
export function collectRoutes(app: App): DeclaredRoutes {
  const routes: DeclaredRoutes[number][] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  return routes;
}

/** Serves `/openapi.json`. Returns a function that creates the document at its first call, because few services need the document. */
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
    async (_request, reply) => reply.type(jsonType).send(await loadJson()),
  );
  return loadDocument;
}

/** Serves `/v1/resources`, the description of the declared resources for front ends. */
export function serveDescriptions(app: App, { config, now }: Context, resources: Resources): void {
  const loadDescription = lazy(async () => {
    const { describeResources } = await import('./describe-resources.ts');
    return new CompressedContent(jsonType, describeResources(resources, roleNames(config), now()));
  });
  app.get('/v1/resources', { config: { auth: 'auth:api', operation: { kind: 'describe' } } }, async (request, reply) =>
    (await loadDescription()).send(request, reply),
  );
}
