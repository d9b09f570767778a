import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { callApi } from './call-api.ts';
import type { Tokens } from './cookies.ts';

/** The first-party client of the login page: the client for web users, otherwise the console's client. */
export function loginClientOf({ proxiedClients }: Pick<Config, 'proxiedClients'>): string {
  const paths = proxiedClients.map(({ path }) => path);
  // The web admin client always exists.
  return ['web/users', 'web'].find((path) => paths.includes(path)) ?? 'web/admin';
}

export type LoginClient = ReturnType<typeof createLoginClient>;

export function createLoginClient(config: Config) {
  const prefix = `/v1/clients/${loginClientOf(config)}`;
  const knownBrowsers = createBrowserCookie(config);
  return {
    /** Signs in with any method of the proxy. Afterwards the browser is known by its cookie. */
    async send(
      { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
      body: Readonly<Record<string, string>>,
    ) {
      const browserCookie = knownBrowsers.read(request);
      const cookie = browserCookie === undefined ? {} : { cookie: `${knownBrowsers.name}=${browserCookie}` };
      const login = { method: 'POST', path: `${prefix}/login`, body, ...cookie } as const;
      const response = await callApi<Tokens>(request, login);
      const value = response.cookies.get(knownBrowsers.name);
      if (value !== undefined) knownBrowsers.set(reply, value);
      return response;
    },
    refresh: (request: FastifyRequest, refreshToken: string) =>
      callApi<Tokens>(request, { method: 'POST', path: `${prefix}/refresh`, body: { refresh_token: refreshToken } }),
  };
}
