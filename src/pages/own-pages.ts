import { codeOf, OperatorError } from '../platform/errors.ts';
import type { Loaded } from '../resources/custom-routes/load-routes.ts';
import { routeCall } from '../resources/custom-routes/route-call.ts';
import type { ResourceServices } from '../resources/model/resource-services.ts';
import type { PageKit } from './kit/page-kit.ts';

/** The operator's own pages. */
export function serveOwnPages(kit: PageKit, services: ResourceServices, loaded: readonly Loaded[]): void {
  for (const declared of loaded) {
    if (declared.kind !== 'page') continue;
    const { path, auth, view, load } = declared.page;
    if (!kit.hasView(view)) throw new OperatorError(`${declared.file}: there is no view "${view}" in VIEWS_DIR.`);
    try {
      kit.page(path, auth, async (request, reply) =>
        kit.show(request, reply, view, { ...(await load?.(routeCall(services, request, reply))) }),
      );
    } catch (error) {
      if (codeOf(error) !== 'FST_ERR_DUPLICATED_ROUTE') throw error;
      throw new OperatorError(`${declared.file}: ${path} is there already. Choose another path.`);
    }
  }
}
