import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { message } from '../../config/languages/message.ts';
import type { App } from '../../http/app.ts';
import { noValidation } from '../../http/no-validation.ts';
import { requestSource } from '../../http/request-source.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { Providers } from '../../identity/providers/providers.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import {
  endHinted,
  type LogoutParameters,
  type LogoutRequest,
  logoutParameters,
  readLogoutRequest,
} from '../../oauth/openid/logout-request.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import { leave } from '../sign-in/provider-means.ts';
import { endSession, type UpstreamLogout } from './end-session.ts';

const maybe = (description: string) => Type.Optional(Type.String({ description }));

/** For the API reference. The endpoint judges by OpenID Connect's own rules, and answers with pages and redirects. */
const logoutSchema: FastifySchema = {
  tags: ['OAuth'],
  operationId: 'endSession',
  summary: 'Sign a user out; open this address in the browser (OpenID Connect RP-Initiated Logout)',
  querystring: Type.Object({
    id_token_hint: maybe('the ID token of the login, expired or not; without it the person is asked'),
    client_id: maybe('the application that asks'),
    post_logout_redirect_uri: maybe('one of the registered ones, to the letter'),
    state: maybe('given back as it is'),
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

interface Means {
  readonly oauth: OAuth;
  readonly providers: Providers;
}

/** OpenID Connect RP-Initiated Logout 1.0. */
export function serveLogoutPage(app: App, kit: PageKit, means: Means): void {
  const page = new LogoutPage(kit, means);
  app.get(endpoint, { config, schema: logoutSchema, ...noValidation, exposeHeadRoute: false }, (request, reply) =>
    page.answer(request, reply, queryOf(request)),
  );
  app.post(endpoint, { config, schema }, (request, reply) => {
    const sent = readForm(request, ...logoutParameters);
    if (request.caller.kind !== 'anonymous') return page.answer(request, reply, sent);
    // Sent from another site, the form came without the cookies of the session: they come with the GET.
    const query = new URLSearchParams(Object.entries(sent).filter(([, value]) => value !== ''));
    return kit.go(reply, `${endpoint}?${query}`);
  });
  app.post(confirmPath, { config, schema }, (request, reply) =>
    page.confirm(request, reply, readForm(request, ...logoutParameters)),
  );
}

class LogoutPage {
  readonly #kit: PageKit;
  readonly #oauth: OAuth;
  readonly #providers: Providers;

  constructor(kit: PageKit, { oauth, providers }: Means) {
    this.#kit = kit;
    this.#oauth = oauth;
    this.#providers = providers;
  }

  /** With an ID token of the signed-in user, the logout happens at once. Otherwise a page asks, because a foreign link could sign people out. */
  async answer(request: FastifyRequest, reply: FastifyReply, parameters: LogoutParameters): Promise<FastifyReply> {
    const asked = await readLogoutRequest(this.#oauth, parameters);
    const { caller } = request;
    const isNobody = caller.kind === 'anonymous';
    if (!isNobody && asked.hint?.userId !== caller.userId) return this.#ask(request, reply, asked, parameters);
    const upstream = isNobody ? undefined : await endSession(this.#kit, this.#providers, request, reply);
    if (asked.hint) await endHinted(this.#oauth, asked.hint, requestSource(request));
    return this.#finish(request, reply, asked, upstream);
  }

  /** The person has said so. */
  async confirm(request: FastifyRequest, reply: FastifyReply, parameters: LogoutParameters): Promise<FastifyReply> {
    const asked = await readLogoutRequest(this.#oauth, parameters);
    if (request.caller.kind === 'anonymous') return this.#finish(request, reply, asked);
    this.#kit.checkForm(request);
    const upstream = await endSession(this.#kit, this.#providers, request, reply);
    return this.#finish(request, reply, asked, upstream);
  }

  async #ask(
    request: FastifyRequest,
    reply: FastifyReply,
    { client, returnTo }: LogoutRequest,
    { post_logout_redirect_uri, state }: LogoutParameters,
  ): Promise<FastifyReply> {
    const user = await findUser(this.#kit.database.db, request.caller.userId ?? '');
    const goOn = returnTo === undefined ? {} : { client_id: client?.id, post_logout_redirect_uri, state };
    const variables = {
      title: message('sign_out.title'),
      application: client?.name,
      person: user?.name ?? user?.email ?? user?.username ?? user?.phone,
      parameters: Object.entries(goOn).flatMap(([name, value]) => (value ? [{ name, value }] : [])),
    };
    return this.#kit.show(request, reply, 'sign-out', variables);
  }

  /** Without an ID token the request may be anybody's: the way on is a link that the person sees, and no redirect. */
  async #finish(
    request: FastifyRequest,
    reply: FastifyReply,
    { hint, client, returnTo }: LogoutRequest,
    upstream?: UpstreamLogout,
  ): Promise<FastifyReply> {
    // An application that wants its person back gets them back; otherwise the session at the provider ends too.
    if (returnTo === undefined && upstream) {
      return leave(this.#kit, request, reply, upstream.url, upstream.label);
    }
    if (returnTo !== undefined && hint) {
      const status = request.method === 'POST' ? 303 : 302;
      return reply.header('cache-control', 'no-store').redirect(returnTo, status);
    }
    return this.#kit.show(request, reply, 'message', {
      title: message('sign_out.done'),
      lines: [message('sign_out.done_about')],
      ...(returnTo === undefined
        ? {}
        : { link: { uri: returnTo, label: message('sign_out.back_to', { application: client?.name ?? '' }) } }),
      action: { path: this.#kit.loginPath, label: message('sign_out.again') },
    });
  }
}
