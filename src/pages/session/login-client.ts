import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { type ApiResponse, callApi } from './call-api.ts';
import type { Tokens } from './cookies.ts';

/** The first-party client of the login page: the client for web users, otherwise the console's client. */
export function loginClientOf({ proxiedClients }: Pick<Config, 'proxiedClients'>): string {
  const paths = proxiedClients.map(({ path }) => path);
  // The web admin client always exists.
  return ['web/users', 'web'].find((path) => paths.includes(path)) ?? 'web/admin';
}

export interface LoginClient {
  /** Signs in with any method of the proxy. Afterwards the browser is known by its cookie. */
  send(
    pageRequest: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    body: Readonly<Record<string, string>>,
  ): Promise<ApiResponse<Tokens>>;
  refresh(request: FastifyRequest, refreshToken: string): Promise<ApiResponse<Tokens>>;
}

export function createLoginClient(config: Config): LoginClient {
  const prefix = `/v1/clients/${loginClientOf(config)}`;
  const knownBrowsers = createBrowserCookie(config);
  return {
    async send({ request, reply }, body) {
      const known = knownBrowsers.read(request);
      const cookie = known === undefined ? {} : { cookie: `${knownBrowsers.name}=${known}` };
      const login = { method: 'POST', path: `${prefix}/login`, body, ...cookie } as const;
      const response = await callApi<Tokens>(request, login);
      const value = response.cookies.get(knownBrowsers.name);
      if (value !== undefined) knownBrowsers.set(reply, value);
      return response;
    },
    refresh: (request, refreshToken) =>
      callApi(request, { method: 'POST', path: `${prefix}/refresh`, body: { refresh_token: refreshToken } }),
  };
}
