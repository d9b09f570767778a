import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Config, ProxiedClient } from '../../config/config.ts';
import type { App } from '../../http/app.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { noValidation } from '../../http/no-validation.ts';
import { oauthErrorSchema } from '../../http/openapi/openapi-operations.ts';
import { queryOf } from '../../http/query-of.ts';
import { OAuthError } from '../../platform/errors.ts';
import type { OAuth } from '../oauth.ts';
import { clientRequestOf, setNoStore } from '../oauth-routes.ts';
import { tokenResponseSchema } from '../schemas.ts';
import type { IssuedTokens } from '../token-endpoint.ts';
import { handleProxyLogin, handleProxyRefresh } from './proxied-grants.ts';
import { refreshCookie, refreshCookieName } from './refresh-cookie.ts';

interface BrowserRequest {
  readonly origin: string | undefined;
  /** The header `Sec-Fetch-Site`. Scripts cannot set it. */
  readonly site: string | undefined;
  /** The origin to which the request was sent. */
  readonly self: string;
}

/** Browsers add the cookie to every request, so the origin of the page must be allowed. */
function rejectForeignOrigin({ baseUrl, corsOrigins }: Config, { origin, site, self }: BrowserRequest): void {
  const isAllowed =
    origin === undefined ? site !== 'cross-site' : [new URL(baseUrl).origin, self, ...corsOrigins].includes(origin);
  if (isAllowed) return;
  throw new OAuthError('access_denied', 'The refresh cookie is not accepted from another origin.', {
    status: 403,
    reason: `origin ${origin?.slice(0, 200) ?? site}`,
  });
}

const consumes = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
const response = { 200: tokenResponseSchema, 400: oauthErrorSchema, 401: oauthErrorSchema, 429: oauthErrorSchema };
const text = Type.Optional(Type.String());

/** Login and refresh for each first-party client. The client's credentials never leave the server. */
export function serveProxies(app: App, oauth: OAuth, proxiedClients: readonly ProxiedClient[]): void {
  const { config } = oauth.context;
  const knownBrowsers = createBrowserCookie(config);
  const route = {
    config: { auth: 'public', errors: 'oauth', limited: 'when-known' },
    onRequest: setNoStore,
    ...noValidation,
  } as const;

  for (const proxied of proxiedClients) {
    const prefix = `/v1/clients/${proxied.path}`;
    const name = proxied.path.replace('/', ' ');
    const cookieOptions = refreshCookie(config, proxied);
    const withCookie = (reply: FastifyReply, { response: tokens, refreshTokenTtl, browserCookie }: IssuedTokens) => {
      reply.setCookie(refreshCookieName, tokens.refresh_token ?? '', { ...cookieOptions, maxAge: refreshTokenTtl });
      if (browserCookie !== undefined) knownBrowsers.set(reply, browserCookie);
      return tokens;
    };

    const identifiers = Object.fromEntries(['username', ...config.loginAttributes].map((field) => [field, text]));
    const loginBody = Type.Object(
      { ...identifiers, password: Type.String(), scope: text },
      { examples: [{ [config.loginAttributes[0] ?? 'username']: 'ada@example.com', password: 'lovelace-1815' }] },
    );
    app.post(
      `${prefix}/login`,
      {
        ...route,
        schema: {
          tags: ['First-party clients'],
          summary: `Log in (${name})`,
          description: 'The response also sets the refresh token as an HttpOnly cookie.',
          consumes,
          body: loginBody,
          response,
          'x-client': 'await gatehouse.login({body});',
        },
      },
      async (request, reply) => {
        const source = knownBrowsers.requestSource(request);
        return withCookie(
          reply,
          await handleProxyLogin(oauth, { proxied, ...clientRequestOf(request, reply), source }),
        );
      },
    );

    const refreshBody = Type.Object({ refresh_token: text, scope: text });
    app.post(
      `${prefix}/refresh`,
      {
        ...route,
        schema: {
          tags: ['First-party clients'],
          summary: `Refresh (${name}), by parameter or cookie`,
          consumes,
          body: refreshBody,
          response,
          'x-client': 'await gatehouse.resume();',
        },
      },
      async (request, reply) => {
        const cookie = () => cookieOf(request);
        const query = new Set(Object.keys(queryOf(request)));
        return withCookie(
          reply,
          await handleProxyRefresh(oauth, { proxied, ...clientRequestOf(request, reply), cookie, query }),
        );
      },
    );
  }

  function cookieOf(request: FastifyRequest): string | undefined {
    const value = request.server.parseCookie(request.headers.cookie ?? '')[refreshCookieName];
    if (value === undefined) return undefined;
    rejectForeignOrigin(config, {
      origin: request.headers.origin,
      site: request.headers['sec-fetch-site'],
      self: `${request.protocol}://${request.host}`,
    });
    return value;
  }
}
