import type { PageKit } from '../../src/pages/kit/page-request.ts';
import { codeOf, OperatorError } from '../../src/platform/errors.ts';
import type { ResourceServices } from '../../src/resources/model/resource-services.ts';
import type { LoadedRoute } from './load-routes.ts';
import { routeCall } from './route-call.ts';

/** Registers the pages of the operator. */
export function serveCustomPages(kit: PageKit, services: ResourceServices, loaded: readonly LoadedRoute[]): void {
  for (const declared of loaded) {
    if (declared.kind !== 'page') continue;
    const { path, auth, view, load } = declared.page;
    if (!kit.hasView(view)) throw new OperatorError(`${declared.file}: there is no view "${view}" in VIEWS_DIR.`);
    try {
      kit.page(path, auth, async (pageRequest) =>
        pageRequest.show(view, { ...(await load?.(routeCall(services, pageRequest.request, pageRequest.reply))) }),
      );
    } catch (error) {
      if (codeOf(error) !== 'FST_ERR_DUPLICATED_ROUTE') throw error;
      throw new OperatorError(`${declared.file}: ${path} already exists. Choose another path.`);
    }
  }
}
