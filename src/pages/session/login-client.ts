import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import type { Tokens } from './cookies.ts';
import { type Answer, callOwnApi } from './own-api.ts';

/** The first-party client that the pages sign people in through: the one for users on the web, else the console's. */
export function loginClientOf({ proxiedClients }: Pick<Config, 'proxiedClients'>): string {
  const paths = proxiedClients.map(({ path }) => path);
  // The web admin client is there whether it is configured or not.
  return ['web/users', 'web'].find((path) => paths.includes(path)) ?? 'web/admin';
}

export interface LoginClient {
  /** A login by any way that the proxy takes. The browser is known from then on, by its cookie. */
  send(
    visit: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    body: Readonly<Record<string, string>>,
  ): Promise<Answer<Tokens>>;
  refresh(request: FastifyRequest, refreshToken: string): Promise<Answer<Tokens>>;
}

export function createLoginClient(config: Config): LoginClient {
  const prefix = `/v1/clients/${loginClientOf(config)}`;
  const knownBrowsers = createBrowserCookie(config);
  return {
    async send({ request, reply }, body) {
      const known = knownBrowsers.read(request);
      const cookie = known === undefined ? {} : { cookie: `${knownBrowsers.name}=${known}` };
      const login = { method: 'POST', path: `${prefix}/login`, body, ...cookie } as const;
      const answer = await callOwnApi<Tokens>(request, login);
      const value = answer.cookies.get(knownBrowsers.name);
      if (value !== undefined) knownBrowsers.set(reply, value);
      return answer;
    },
    refresh: (request, refreshToken) =>
      callOwnApi(request, { method: 'POST', path: `${prefix}/refresh`, body: { refresh_token: refreshToken } }),
  };
}
