import type { App } from '../../src/http/app.ts';
import type { PageKit } from '../../src/pages/kit/page-request.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import { loadRoutes } from './load-routes.ts';
import { serveCustomPages } from './serve-pages.ts';
import { serveRoutes } from './serve-routes.ts';

/** The routes and pages of the files in ROUTES_DIR. */
export async function loadCustomRoutes(dir: string) {
  const loaded = await loadRoutes(dir);
  return {
    routes: loaded.flatMap((declared) =>
      declared.kind === 'route' ? [{ file: declared.file, ...declared.route }] : [],
    ),
    serve(app: App, kit: PageKit, services: ResourceServices): void {
      serveRoutes(app, services, loaded, kit.checkForm);
      serveCustomPages(kit, services, loaded);
    },
  };
}
