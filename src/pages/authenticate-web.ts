import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Config } from '../config.ts';
import { Problem } from '../errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { createCookies } from './cookies.ts';
import { localPath } from './local-path.ts';
import { createLoginClient } from './login-client.ts';

const tokens = new WeakMap<FastifyRequest, string>();

/** The access token of the person whom an `auth:web` request comes from: the cookie's, or the one that renewed it. */
export function tokenOf(request: FastifyRequest): string {
  const token = tokens.get(request);
  if (token === undefined) throw new Error(`${request.routeOptions.url} has no session: is it auth:web?`);
  return token;
}

export interface WebSessions {
  /** Who is signed in, if anybody: by the session cookie, or by renewing it while its refresh token is good. */
  find(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
  /** `auth:web`: a page for people who are signed in; others are shown the login page and come back after it. */
  require(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
}

/** Sessions of browsers: two cookies, and nothing on the server beside the session that every login has. */
export function createWebSessions(config: Config, sessions: Sessions): WebSessions {
  const cookies = createCookies(config);
  const client = createLoginClient(config);
  const loginPage = `${config.baseUrl.replace(/^https?:\/\/[^/]+/, '')}/${config.loginPageUrl}`;

  const remember = (request: FastifyRequest, token: string, caller: Caller): Caller => {
    tokens.set(request, token);
    return caller;
  };

  async function find(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined> {
    const { session, renewal } = cookies.read(request);
    if (session) {
      const caller = await verify(sessions, session, request);
      if (caller?.kind === 'user') return remember(request, session, caller);
    }
    if (!renewal) return undefined;
    const { ok, status, data } = await client.refresh(request, renewal);
    const caller = ok ? await verify(sessions, data.access_token, request) : undefined;
    if (!caller) {
      // A busy server is no reason to sign anybody out.
      if (status < 500 && status !== 429) cookies.clearSession(reply);
      return undefined;
    }
    cookies.setSession(reply, data);
    return remember(request, data.access_token, caller);
  }

  return {
    find,
    async require(request, reply) {
      const caller = await find(request, reply);
      if (caller) return caller;
      const next = localPath(pageOf(request));
      const query = next === undefined || next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
      reply.header('cache-control', 'no-store').redirect(loginPage + query, 302);
      return undefined;
    },
  };
}

async function verify(sessions: Sessions, token: string, request: FastifyRequest): Promise<Caller | undefined> {
  try {
    return await sessions.verify(token, request);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}

/** Where to come back to. What a form was sent to is no page: its section is. */
function pageOf({ method, url }: FastifyRequest): string {
  if (method === 'GET' || method === 'HEAD') return url;
  return url.startsWith('/settings/') ? (url.split('?', 1)[0] as string).split('/').slice(0, 3).join('/') : '/';
}
