import type { Protection } from '../../src/http/app.ts';
import type { CreateExtension } from '../../src/main/extension.ts';
import type { Handler, PageKit } from '../../src/pages/kit/page-request.ts';
import { lazy } from '../../src/platform/lazy.ts';

/** Adds the pages and forms of a section. Its first request loads the module that handles them. */
function addSection<M>(kit: PageKit, load: () => Promise<M>) {
  const loadOnce = lazy(load);
  const handle =
    (choose: (handlers: M) => Handler): Handler =>
    async (pageRequest) =>
      choose(await loadOnce())(pageRequest);
  return {
    page: (path: string, choose: (handlers: M) => Handler, auth: Protection = 'auth:web') =>
      kit.page(path, auth, handle(choose)),
    form: (path: string, choose: (handlers: M) => Handler) => kit.form(path, 'auth:web', handle(choose)),
  };
}

function serveProfile(kit: PageKit): void {
  const { page, form } = addSection(kit, () => import('./profile-pages.ts'));
  page('/settings', ({ openProfile }) => openProfile);
  form('/settings', ({ saveProfile }) => saveProfile);
  form('/settings/pending-email/cancel', ({ cancelEmailChange }) => cancelEmailChange);
  if (!kit.config.localPasswords) return;
  page('/settings/password', ({ showPassword }) => showPassword);
  // Password managers look for this address (W3C, "A Well-Known URL for Changing Passwords").
  kit.page('/.well-known/change-password', 'public', (pageRequest) => pageRequest.redirect('/settings/password'));
  form('/settings/password', ({ changePassword }) => changePassword);
}

function serveSignInMethods(kit: PageKit): void {
  const { page, form } = addSection(kit, () => import('./sign-in-method-pages.ts'));
  page('/settings/sign-in', ({ showSignInMethods }) => showSignInMethods);
  form('/settings/sign-in/:id/remove', ({ removeIdentity }) => removeIdentity);
}

function serveSecurity(kit: PageKit): void {
  const path = '/settings/security';
  const { page, form } = addSection(kit, () => import('./security-pages.ts'));
  page(path, ({ showSecurity }) => showSecurity);
  form(`${path}/authenticators`, ({ addAuthenticator }) => addAuthenticator);
  form(`${path}/authenticators/:id/confirm`, ({ confirmAuthenticator }) => confirmAuthenticator);
  for (const resource of ['authenticators', 'passkeys', 'browsers'])
    form(`${path}/${resource}/:id/remove`, ({ removeFactor }) => removeFactor(resource));
  form(`${path}/passkeys`, ({ addPasskey }) => addPasskey);
  form(`${path}/passkeys/:id/rename`, ({ renamePasskey }) => renamePasskey);
  form(`${path}/recovery-codes`, ({ createRecoveryCodes }) => createRecoveryCodes);
  const offer = addSection(kit, () => import('./factor-offer.ts'));
  offer.form(`${path}/later`, ({ postponeOffer }) => postponeOffer);
}

function serveSessions(kit: PageKit): void {
  const path = '/settings/sessions';
  const { page, form } = addSection(kit, () => import('./session-pages.ts'));
  page(path, ({ showSessions }) => showSessions);
  form(`${path}/:id/end`, ({ endOneSession }) => endOneSession);
  form(`${path}/end-group`, ({ endGroup }) => endGroup);
  form(`${path}/end-others`, ({ endOtherSessions }) => endOtherSessions);
}

function serveTokens(kit: PageKit): void {
  const path = '/settings/tokens';
  const { page, form } = addSection(kit, () => import('./token-pages.ts'));
  page(path, ({ showTokens }) => showTokens);
  page(`${path}/new`, ({ showNewToken }) => showNewToken);
  form(path, ({ createToken }) => createToken);
  form(`${path}/:id/reveal`, ({ revealToken }) => revealToken);
  form(`${path}/:id/revoke`, ({ revokeToken }) => revokeToken);
}

function serveConnections(kit: PageKit): void {
  const { page, form } = addSection(kit, () => import('./connection-pages.ts'));
  page('/settings/connections', ({ showConnections }) => showConnections);
  form('/settings/connections/:id/withdraw', ({ withdrawConsent }) => withdrawConsent);
}

function serveApplications(kit: PageKit): void {
  const path = '/settings/applications';
  const { page, form } = addSection(kit, () => import('./application-pages.ts'));
  page(path, ({ showApplications }) => showApplications);
  page(`${path}/new`, ({ personalClients }) => personalClients.showNew);
  form(path, ({ personalClients }) => personalClients.create);
  form(`${path}/:id`, ({ personalClients }) => personalClients.change);
  page(`${path}/sign-in/new`, ({ signInApplications }) => signInApplications.showNew);
  form(`${path}/sign-in`, ({ signInApplications }) => signInApplications.create);
  form(`${path}/:id/sign-in`, ({ signInApplications }) => signInApplications.change);
  page(`${path}/:id`, ({ showApplication }) => showApplication);
  form(`${path}/:id/secret`, ({ createSecret }) => createSecret);
  form(`${path}/:id/remove`, ({ removeApplication }) => removeApplication);
}

function serveAccount(kit: PageKit): void {
  const path = '/settings/account';
  const { page, form } = addSection(kit, () => import('./account-pages.ts'));
  page(path, ({ showAccount }) => showAccount);
  form(`${path}/export`, ({ sendOwnData }) => sendOwnData);
  form(`${path}/delete`, ({ deleteAccount }) => deleteAccount);
  page('/account-deleted', ({ showDeleted }) => showDeleted, 'public');
}

/** The pages on which users manage their own account. */
export const createExtension: CreateExtension = () => ({
  servePages(_app, kit) {
    serveProfile(kit);
    serveSignInMethods(kit);
    serveSecurity(kit);
    serveSessions(kit);
    serveTokens(kit);
    serveConnections(kit);
    serveApplications(kit);
    serveAccount(kit);
  },
});
