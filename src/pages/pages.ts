import type { App } from '../http/app.ts';
import { codeOf, OperatorError } from '../platform/errors.ts';
import type { LoadedRoute } from '../resources/custom-routes/load-routes.ts';
import { routeCall } from '../resources/custom-routes/route-call.ts';
import { serveRoutes } from '../resources/custom-routes/serve-routes.ts';
import type { ResourceServices } from '../resources/model/resource-services.ts';
import { serveAuthorize } from './authorize/serve-authorize.ts';
import { serveConsole } from './console/serve-console.ts';
import type { PageKit } from './kit/page-request.ts';
import { serveLanguage, serveTheme } from './kit/theme.ts';
import { serveLogoutPage } from './logout/serve-logout.ts';
import { serveEmailLinks, serveInvitation } from './sign-in/email-links.ts';
import { serveRegister } from './sign-in/register-page.ts';
import { serveEmailCodes, serveSecondStep } from './sign-in/second-step.ts';
import { serveSignIn } from './sign-in/sign-in.ts';

/** The pages of the core, and the console. */
export async function servePages(app: App, kit: PageKit): Promise<void> {
  requireFreeLoginPath(kit.config.loginPageUrl);
  kit.page('/', 'public', (pageRequest) => pageRequest.redirect('/settings'));
  serveTheme(kit);
  serveLanguage(kit);
  serveSignIn(kit);
  serveSecondStep(kit);
  if (kit.config.emailCodes) serveEmailCodes(kit);
  serveRegister(kit);
  await serveAuthorize(app, kit);
  serveLogoutPage(app, kit);
  serveEmailLinks(kit);
  serveInvitation(kit);
  serveConsole(app, kit);
}

/** Paths that are already in use. */
const reservedPaths =
  /^(v1|oauth|health|metrics|docs|assets|admin|settings|register|device|invitations|logout|theme|account-deleted|login-(step|passkey|code)|login\/with|password\/(forgot|reset)|email\/(confirm\w*|undo\w*))(\/|$)/;

function requireFreeLoginPath(name: string): void {
  if (!reservedPaths.test(name)) return;
  throw new OperatorError(`LOGIN_PAGE_URL: "${name}" is already the address of another page. Choose another name.`);
}

/** The routes and pages of the operator. */
export function serveOperatorRoutes(
  app: App,
  kit: PageKit,
  services: ResourceServices,
  loaded: readonly LoadedRoute[],
): void {
  serveRoutes(app, services, loaded, kit.checkForm);
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
