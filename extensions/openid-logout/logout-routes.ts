import type { FastifyReply, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { message } from '../../src/config/languages/message.ts';
import type { App } from '../../src/http/app.ts';
import { noValidation } from '../../src/http/no-validation.ts';
import { requestSource } from '../../src/http/request-source.ts';
import { findUser } from '../../src/identity/accounts/user-store.ts';
import type { ProviderAddress } from '../../src/identity/providers/sign-in-providers.ts';
import { type PageKit, PageRequest } from '../../src/pages/kit/page-request.ts';
import { endSession, showProviderRedirect } from '../../src/pages/sign-in/end-session.ts';
import {
  endHintedSession,
  type LogoutParameters,
  type LogoutRequest,
  logoutParameters,
  readLogoutRequest,
} from './logout-request.ts';

const maybe = (description: string) => Type.Optional(Type.String({ description }));

/** Only for the API reference. The endpoint validates by OpenID Connect, and responds with pages and redirects. */
const logoutSchema: FastifySchema = {
  tags: ['OAuth'],
  operationId: 'endSession',
  summary: 'Sign a user out; open this address in the browser (OpenID Connect RP-Initiated Logout)',
  querystring: Type.Object({
    id_token_hint: maybe('the ID token of the login, which may have expired; without it, a page asks the user'),
    client_id: maybe('the id of the application'),
    post_logout_redirect_uri: maybe('a registered URI, compared exactly'),
    state: maybe('returned unchanged'),
  }),
  response: {
    200: { description: 'A page that asks the user, or confirms the sign-out', type: 'string' },
    302: { description: 'A redirect to the application with `state`', type: 'null' },
    400: { description: 'An error page: the client or the redirect URI is invalid', type: 'string' },
  },
};

const endpoint = '/oauth/logout';
const confirmPath = `${endpoint}/confirm`;
const config = { auth: 'public', web: 'optional', errors: 'page' } as const;
const schema = { hide: true };

/** OpenID Connect RP-Initiated Logout 1.0. */
export function serveLogoutPage(app: App, kit: PageKit): void {
  app.get(endpoint, { config, schema: logoutSchema, ...noValidation, exposeHeadRoute: false }, (request, reply) => {
    const pageRequest = new PageRequest(kit, request, reply);
    return respond(pageRequest, pageRequest.query);
  });
  app.post(endpoint, { config, schema }, (request, reply) => {
    const pageRequest = new PageRequest(kit, request, reply);
    const parameters = pageRequest.form(...logoutParameters);
    if (pageRequest.caller.kind !== 'anonymous') return respond(pageRequest, parameters);
    // A form from another site comes without the session cookies. They come with the GET.
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
    return pageRequest.redirect(`${endpoint}?${query}`);
  });
  app.post(confirmPath, { config, schema }, (request, reply) => confirm(new PageRequest(kit, request, reply)));
}

/** With an ID token of the signed-in user, the logout happens at once. Otherwise a page asks, because a foreign link could sign users out. */
async function respond(pageRequest: PageRequest, parameters: LogoutParameters) {
  const logout = await readLogoutRequest(pageRequest.kit.oauth, parameters);
  const { caller } = pageRequest;
  const isAnonymous = caller.kind === 'anonymous';
  if (!isAnonymous && logout.hint?.userId !== caller.userId) return askToLogOut(pageRequest, logout, parameters);
  const upstream = isAnonymous ? undefined : await endSession(pageRequest);
  if (logout.hint) await endHintedSession(pageRequest.kit.oauth, logout.hint, requestSource(pageRequest.request));
  return showSignedOut(pageRequest, logout, upstream);
}

/** The user has confirmed the logout. */
async function confirm(pageRequest: PageRequest): Promise<FastifyReply> {
  const logout = await readLogoutRequest(pageRequest.kit.oauth, pageRequest.form(...logoutParameters));
  if (pageRequest.caller.kind === 'anonymous') return showSignedOut(pageRequest, logout);
  pageRequest.kit.checkForm(pageRequest.request);
  return showSignedOut(pageRequest, logout, await endSession(pageRequest));
}

async function askToLogOut(
  pageRequest: PageRequest,
  { client, returnTo }: LogoutRequest,
  { post_logout_redirect_uri, state }: LogoutParameters,
): Promise<FastifyReply> {
  const user = await findUser(pageRequest.kit.database.db, pageRequest.caller.userId ?? '');
  const returnParameters = returnTo === undefined ? {} : { client_id: client?.id, post_logout_redirect_uri, state };
  return pageRequest.show('sign-out', {
    title: message('sign_out.title'),
    application: client?.name,
    person: user?.name ?? user?.email ?? user?.username ?? user?.phone,
    parameters: Object.entries(returnParameters).flatMap(([name, value]) => (value ? [{ name, value }] : [])),
  });
}

/** Without an ID token, anybody may have made the request. So the page shows a link instead of a redirect. */
async function showSignedOut(
  pageRequest: PageRequest,
  { hint, client, returnTo }: LogoutRequest,
  upstream?: ProviderAddress,
): Promise<FastifyReply> {
  // If the application wants the user back, the user returns there. Otherwise the session at the provider ends too.
  if (returnTo === undefined && upstream) return showProviderRedirect(pageRequest, upstream);
  if (returnTo !== undefined && hint) {
    const status = pageRequest.request.method === 'POST' ? 303 : 302;
    return pageRequest.reply.header('cache-control', 'no-store').redirect(returnTo, status);
  }
  return pageRequest.show('message', {
    title: message('sign_out.done'),
    lines: [message('sign_out.done_about')],
    ...(returnTo === undefined
      ? {}
      : { link: { uri: returnTo, label: message('sign_out.back_to', { application: client?.name ?? '' }) } }),
    action: { path: pageRequest.kit.loginPath, label: message('sign_out.again') },
  });
}
