import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Config, ProxiedClient } from '../../config/config.ts';
import { changeAs } from '../../database/change-as.ts';
import type { App } from '../../http/app.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { noValidation } from '../../http/no-validation.ts';
import { queryOf } from '../../http/query-of.ts';
import { type RequestSource, requestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { OAuthError } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { invalidClient } from '../clients/client-rules.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { refreshTokenGrant } from '../grants/refresh-token.ts';
import { emailCodeGrant, mfaGrant, passkeyGrant, passwordGrant } from '../grants/sign-in.ts';
import type { ClientRequest, Grant, OAuth } from '../oauth.ts';
import { clientRequestOf, setNoStore } from '../oauth-routes.ts';
import { invalidRequest, type Parameters, readParameters } from '../parameters.ts';
import { oauthErrorSchema, tokenResponseSchema } from '../schemas.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import { type IssuedTokens, issueTokens } from '../token-endpoint.ts';

export const refreshCookieName = 'refreshToken';

/** The browser sends this cookie only to the endpoints of this client, never from another site. Scripts cannot read it. */
export function refreshCookie({ baseUrl }: Config, { path }: ProxiedClient) {
  const { protocol, pathname } = new URL(baseUrl);
  return {
    path: `${pathname.replace(/\/$/, '')}/v1/clients/${path}`,
    httpOnly: true,
    sameSite: 'strict',
    secure: protocol === 'https:',
  } as const;
}

/** The grants without a password, by their member of the body. `mfa` is first, because its body may contain a passkey too. */
const passwordlessGrants: readonly (readonly [string, Grant])[] = [
  ['mfa_token', mfaGrant],
  ['passkey', passkeyGrant],
  ['email_code', emailCodeGrant],
];

/** Runs the password grant, or another sign-in grant, with the client of the proxy. */
async function handleProxyLogin(oauth: OAuth, proxied: ProxiedClient, { body, source, countRequest }: ClientRequest) {
  const bodyParameters = readParameters(body);
  const request = { client: await clientOf(oauth, proxied), parameters: bodyParameters, source, countRequest };
  for (const [member, grant] of passwordlessGrants)
    if (bodyParameters.has(member)) return issueTokens(oauth, grant, request);
  const parameters = new Map(bodyParameters).set('username', identifierIn(bodyParameters, oauth.context.config));
  return issueTokens(oauth, passwordGrant, { ...request, parameters });
}

/** Runs the refresh grant with the client of the proxy. The cookie is used if the body contains no token. */
async function handleProxyRefresh(
  oauth: OAuth,
  proxied: ProxiedClient,
  request: FastifyRequest,
  { body, source, countRequest }: ClientRequest,
) {
  const parameters = new Map(readParameters(body));
  if (!parameters.has('refresh_token')) {
    const fromCookie = cookieOf(oauth.context.config, request);
    // Secrets are rejected in the query, because addresses are logged.
    if (!fromCookie && Object.hasOwn(queryOf(request), 'refresh_token')) {
      throw invalidRequest("The parameter 'refresh_token' belongs in the body of the request, not in its address.");
    }
    if (!fromCookie) throw invalidRequest("The parameter 'refresh_token' is missing, and so is the cookie.");
    parameters.set('refresh_token', fromCookie);
  }
  const client = await clientOf(oauth, proxied);
  return issueTokens(oauth, refreshTokenGrant, { client, parameters, source, countRequest });
}

/** `username` works for every login attribute. `email`, `username` and `phone` work if they are enabled. */
function identifierIn(parameters: Parameters, { loginAttributes }: Config): string {
  const names = [...new Set(['username', ...loginAttributes])];
  const identifiers = names.filter((name) => parameters.has(name));
  const [name] = identifiers;
  if (name === undefined) throw invalidRequest(`The identifier is missing: send one of ${names.join(', ')}.`);
  if (identifiers.length > 1) throw invalidRequest(`Send one identifier, not ${identifiers.join(' and ')}.`);
  return parameters.get(name) as string;
}

/** The settings name the client, so its secret is not checked. An instance with an old secret keeps working. */
async function clientOf({ clients }: OAuth, { id }: ProxiedClient): Promise<StoredClient> {
  const client = await clients.find(id);
  if (client?.type === 'password') return client;
  // No Basic challenge: a browser would ask its user for a password.
  throw invalidClient(`proxied client ${id} was deleted`, {});
}

/** Whether the page that sent the request may use the cookies. Scripts cannot set the header `Sec-Fetch-Site`. */
function isOriginAllowed({ baseUrl, corsOrigins }: Config, { headers, protocol, host }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined) return site !== 'cross-site';
  return [new URL(baseUrl).origin, `${protocol}://${host}`, ...corsOrigins].includes(origin);
}

/** The refresh cookie. Browsers add it to every request, so the origin of the page must be allowed. */
function cookieOf(config: Config, request: FastifyRequest) {
  const { origin, cookie, 'sec-fetch-site': site } = request.headers;
  const value = request.server.parseCookie(cookie ?? '')[refreshCookieName];
  if (value === undefined || isOriginAllowed(config, request)) return value;
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
    const withCookie = (
      request: FastifyRequest,
      reply: FastifyReply,
      { response: tokens, refreshTokenTtl, browserCookie }: IssuedTokens,
    ) => {
      // A form on another site must not sign its visitor in to another account.
      if (!isOriginAllowed(config, request)) return tokens;
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
        const login = { ...clientRequestOf(request, reply), source: knownBrowsers.requestSource(request) };
        return withCookie(request, reply, await handleProxyLogin(oauth, proxied, login));
      },
    );

    app.post(
      `${prefix}/refresh`,
      {
        ...route,
        schema: {
          tags: ['First-party clients'],
          summary: `Refresh (${name}), by parameter or cookie`,
          consumes,
          body: Type.Object({ refresh_token: text, scope: text }),
          response,
          'x-client': 'await gatehouse.resume();',
        },
      },
      async (request, reply) =>
        withCookie(request, reply, await handleProxyRefresh(oauth, proxied, request, clientRequestOf(request, reply))),
    );
  }
}

/** Ends a session: its access token, its refresh token, and the cookie of a proxy. */
export function serveLogout(app: App, oauth: OAuth, proxiedClients: readonly ProxiedClient[]): void {
  app.delete(
    '/v1/logout',
    {
      config: { auth: 'auth:api' },
      schema: {
        tags: ['OAuth'],
        summary: 'Revoke the presented access token and end its session',
        response: { 200: Type.Object({ message: Type.Literal('Token revoked successfully.') }) },
        'x-client': 'await gatehouse.logout();',
      },
    },
    async (request, reply) => {
      await logOut(oauth, request.caller, requestSource(request));
      for (const proxied of proxiedClients) {
        reply.clearCookie(refreshCookieName, refreshCookie(oauth.context.config, proxied));
      }
      reply.header('cache-control', 'no-store');
      return { message: 'Token revoked successfully.' as const };
    },
  );
}

/** Ends the session of the caller's token. Returns when no instance accepts the token any more. */
async function logOut({ context, sessions, lockAuthority }: OAuth, caller: Caller, source: RequestSource) {
  const { sessionId, userId, clientId } = caller;
  if (!sessionId) return;
  await changeAs(context.database, lockAuthority, { caller, changesAccounts: true }, async (tx, invalidate) => {
    const ended = await endSessions(sessions, tx, invalidate, { sessionId }, 'logout');
    if (ended > 0) await recordEvent(context, tx, { type: 'logout', userId, clientId, sessionId, source });
  });
}
