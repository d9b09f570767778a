import type { App } from '../http/app.ts';
import { OperatorError } from '../platform/errors.ts';
import { serveAuthorize } from './authorize/serve-authorize.ts';
import type { PageKit } from './kit/page-request.ts';
import { serveLanguage, serveTheme } from './kit/theme.ts';
import { serveEmailLinks, serveInvitation } from './sign-in/email-links.ts';
import { serveRegister } from './sign-in/register-page.ts';
import { serveEmailCodes, serveSecondStep } from './sign-in/second-step.ts';
import { serveSignIn } from './sign-in/sign-in.ts';

/** The pages of the core. */
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
  serveEmailLinks(kit);
  serveInvitation(kit);
}

/** Paths that are already in use. */
const reservedPaths =
  /^(v1|oauth|mcp|health|metrics|docs|assets|admin|settings|register|device|invitations|logout|theme|account-deleted|login-(step|passkey|code)|login\/with|password\/(forgot|reset)|email\/(confirm\w*|undo\w*))(\/|$)/;

function requireFreeLoginPath(name: string): void {
  if (!reservedPaths.test(name)) return;
  throw new OperatorError(`LOGIN_PAGE_URL: "${name}" is already the address of another page. Choose another name.`);
}
