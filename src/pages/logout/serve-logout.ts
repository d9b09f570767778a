import type { FastifyReply, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { message } from '../../config/languages/message.ts';
import type { App } from '../../http/app.ts';
import { noValidation } from '../../http/no-validation.ts';
import { requestSource } from '../../http/request-source.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import {
  endHintedSession,
  type LogoutParameters,
  type LogoutRequest,
  logoutParameters,
  readLogoutRequest,
} from '../../oauth/openid/logout-request.ts';
import { type PageKit, Visit } from '../kit/visit.ts';
import { showProviderRedirect } from '../sign-in/provider-services.ts';
import { endSession, type UpstreamLogout } from './end-session.ts';

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

interface LogoutServices {
  readonly oauth: OAuth;
  readonly providers: Providers;
}

/** OpenID Connect RP-Initiated Logout 1.0. */
export function serveLogoutPage(app: App, kit: PageKit, services: LogoutServices): void {
  app.get(endpoint, { config, schema: logoutSchema, ...noValidation, exposeHeadRoute: false }, (request, reply) => {
    const visit = new Visit(kit, request, reply);
    return answer(visit, services, visit.query);
  });
  app.post(endpoint, { config, schema }, (request, reply) => {
    const visit = new Visit(kit, request, reply);
    const sent = visit.form(...logoutParameters);
    if (visit.caller.kind !== 'anonymous') return answer(visit, services, sent);
    // A form from another site comes without the session cookies. They come with the GET.
    const query = new URLSearchParams(Object.entries(sent).filter(([, value]) => value !== ''));
    return visit.redirect(`${endpoint}?${query}`);
  });
  app.post(confirmPath, { config, schema }, (request, reply) => confirm(new Visit(kit, request, reply), services));
}

/** With an ID token of the signed-in user, the logout happens at once. Otherwise a page asks, because a foreign link could sign users out. */
async function answer(visit: Visit, services: LogoutServices, parameters: LogoutParameters): Promise<FastifyReply> {
  const { oauth, providers } = services;
  const asked = await readLogoutRequest(oauth, parameters);
  const { caller } = visit;
  const isAnonymous = caller.kind === 'anonymous';
  if (!isAnonymous && asked.hint?.userId !== caller.userId) return ask(visit, asked, parameters);
  const upstream = isAnonymous ? undefined : await endSession(visit, providers);
  if (asked.hint) await endHintedSession(oauth, asked.hint, requestSource(visit.request));
  return showSignedOut(visit, asked, upstream);
}

/** The user has confirmed the logout. */
async function confirm(visit: Visit, { oauth, providers }: LogoutServices): Promise<FastifyReply> {
  const asked = await readLogoutRequest(oauth, visit.form(...logoutParameters));
  if (visit.caller.kind === 'anonymous') return showSignedOut(visit, asked);
  visit.kit.checkForm(visit.request);
  return showSignedOut(visit, asked, await endSession(visit, providers));
}

async function ask(
  visit: Visit,
  { client, returnTo }: LogoutRequest,
  { post_logout_redirect_uri, state }: LogoutParameters,
): Promise<FastifyReply> {
  const user = await findUser(visit.kit.database.db, visit.caller.userId ?? '');
  const returnParameters = returnTo === undefined ? {} : { client_id: client?.id, post_logout_redirect_uri, state };
  return visit.show('sign-out', {
    title: message('sign_out.title'),
    application: client?.name,
    person: user?.name ?? user?.email ?? user?.username ?? user?.phone,
    parameters: Object.entries(returnParameters).flatMap(([name, value]) => (value ? [{ name, value }] : [])),
  });
}

/** Without an ID token, anybody may have made the request. So the page shows a link instead of a redirect. */
async function showSignedOut(
  visit: Visit,
  { hint, client, returnTo }: LogoutRequest,
  upstream?: UpstreamLogout,
): Promise<FastifyReply> {
  // If the application wants the user back, the user returns there. Otherwise the session at the provider ends too.
  if (returnTo === undefined && upstream) return showProviderRedirect(visit, upstream.url, upstream.label);
  if (returnTo !== undefined && hint) {
    const status = visit.request.method === 'POST' ? 303 : 302;
    return visit.reply.header('cache-control', 'no-store').redirect(returnTo, status);
  }
  return visit.show('message', {
    title: message('sign_out.done'),
    lines: [message('sign_out.done_about')],
    ...(returnTo === undefined
      ? {}
      : { link: { uri: returnTo, label: message('sign_out.back_to', { application: client?.name ?? '' }) } }),
    action: { path: visit.kit.loginPath, label: message('sign_out.again') },
  });
}
