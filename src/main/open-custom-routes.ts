import { modulesIn } from '../config/import-file.ts';
import type { App } from '../http/app.ts';
import type { PageKit } from '../pages/kit/page-request.ts';
import type { ResourceServices } from '../resources/model/resource-services.ts';

/** The operator's own routes and pages. */
export interface CustomRoutes {
  /** The routes, without the pages. */
  readonly routes: readonly { readonly file: string; readonly path: string; readonly scope?: string | undefined }[];
  serve(app: App, kit: PageKit, services: ResourceServices): void;
}

const noRoutes: CustomRoutes = { routes: [], serve: () => undefined };

/** Loads the extension if ROUTES_DIR has files. */
export async function openCustomRoutes(dir: string): Promise<CustomRoutes> {
  if (modulesIn(dir, { recursive: true }).length === 0) return noRoutes;
  return (await import('../../extensions/custom-routes/custom-routes.ts')).loadCustomRoutes(dir);
}
