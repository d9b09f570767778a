import type { CreateExtension } from '../../src/main/extension.ts';
import type { DeclaredRoutes } from './document/describe-routes.ts';
import { collectRoutes, serveDescriptions, serveDocument } from './document-routes.ts';
import { serveReference } from './reference/reference-routes.ts';

/** `/openapi.json`, the API reference at `/docs`, and `/v1/resources`. The first request loads the code that describes the API. */
export const createExtension: CreateExtension = (context) => {
  let routes: DeclaredRoutes = [];
  let loadDocument: () => Promise<object>;
  return {
    beforeRoutes(app) {
      routes = collectRoutes(app);
    },
    serve(app, resources) {
      serveDescriptions(app, context, resources);
      loadDocument = serveDocument(app, context.config, routes, resources);
    },
    servePages: (app, kit) => serveReference(app, kit, loadDocument),
  };
};
