import type { CreateExtension } from '../../src/main/extension.ts';
import type { DeclaredRoutes } from './document/describe-routes.ts';
import { collectRoutes, serveDocument } from './document-routes.ts';
import { serveReference } from './reference/reference-routes.ts';

/** `/openapi.json`, and the API reference at `/docs`. The first request loads the code that describes the API. */
export const createExtension: CreateExtension = ({ config }) => {
  let routes: DeclaredRoutes = [];
  let loadDocument: () => Promise<object>;
  return {
    beforeRoutes(app) {
      routes = collectRoutes(app);
    },
    serve(app, resources) {
      loadDocument = serveDocument(app, config, routes, resources);
    },
    servePages: (app, kit) => serveReference(app, kit, loadDocument),
  };
};
