import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Authenticate } from '../../http/gate/authenticate.ts';
import { withoutQuery } from '../../http/without-query.ts';
import type { TokenVerifier } from '../../oauth/sessions/verify/token-verifier.ts';
import { anonymousCaller, type Caller, isSignedIn } from '../../platform/caller.ts';
import { Problem } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json-text.ts';
import { createLoginClient } from './call-api.ts';
import { createCookies } from './cookies.ts';
import { localPath } from './local-path.ts';

interface WebTokens {
  /** The token that the page uses while it responds. */
  readonly internal: string;
  /** The token for the browser: from the session cookie, or the renewed token that the response will set. */
  readonly browser: string;
}

const tokens = new WeakMap<FastifyRequest, WebTokens>();

function tokensOf(request: FastifyRequest): WebTokens {
  const webTokens = tokens.get(request);
  if (webTokens === undefined) throw new Error(`${request.routeOptions.url} has no session: is it auth:web?`);
  return webTokens;
}

/** The access token that an `auth:web` page uses. It must not leave the service. */
export const internalTokenOf = (request: FastifyRequest): string => tokensOf(request).internal;

/** The access token of the session cookie, as it will be after the response. */
export const cookieTokenOf = (request: FastifyRequest): string => tokensOf(request).browser;

export interface WebSessions {
  /** The signed-in user, if any: by the session cookie, or by renewing it with its refresh token. */
  find(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
  /** The user of the session cookie, if any. Renews nothing. */
  findUserId(request: FastifyRequest): Promise<string | null>;
  /** `auth:web`: a page for signed-in users. Others see the login page first and come back. */
  readonly require: Authenticate['web'];
}

/** Browser sessions: two cookies. The server stores only the normal session of the login. */
export function createWebSessions(config: Config, verifier: TokenVerifier): WebSessions {
  const cookies = createCookies(config);
  const client = createLoginClient(config);
  const root = config.baseUrl.replace(/^https?:\/\/[^/]+/, '');
  const loginPage = `${root}/${config.loginPageUrl}`;

  const remember = (request: FastifyRequest, webTokens: WebTokens, caller: Caller): Caller => {
    tokens.set(request, webTokens);
    return caller;
  };

  async function find(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined> {
    const { session, renewal } = cookies.read(request);
    if (session) {
      const caller = await verify(verifier, session, request);
      if (caller) return remember(request, { internal: session, browser: session }, caller);
    }
    if (!renewal) return undefined;
    const { ok, status, data } = await client.refresh(request, renewal);
    // The response may be lost. Then the browser comes back with its old cookie, so the new token must not count as used.
    const internalToken = ok ? await verifier.internalToken(data.access_token) : undefined;
    const caller = internalToken === undefined ? undefined : await verify(verifier, internalToken, request);
    if (!caller || internalToken === undefined) {
      // An overloaded server must not sign users out.
      if (status < 500 && status !== 429) cookies.clearSession(reply);
      return undefined;
    }
    cookies.setSession(reply, data);
    return remember(request, { internal: internalToken, browser: data.access_token }, caller);
  }

  return {
    find,
    async findUserId(request) {
      const { session } = cookies.read(request);
      const caller = session && (await verify(verifier, session, request).catch(() => undefined));
      return caller ? caller.userId : null;
    },
    async require(request, reply, beforeRedirect) {
      const webTokens = tokens.get(request);
      // Checked again when the body has arrived: a session that ended in the meantime is not renewed.
      const caller =
        webTokens === undefined ? await find(request, reply) : await verify(verifier, webTokens.internal, request);
      if (caller && mayOpenPage(caller, request)) return caller;
      if (!caller && request.route.config.web === 'optional') return anonymousCaller;
      await beforeRedirect?.(caller ?? anonymousCaller);
      if (caller) {
        reply.header('cache-control', 'no-store').redirect(`${root}/settings/security`, 302);
        return undefined;
      }
      const next = localPath(pagePathOf(request));
      const query = next === undefined || next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
      reply.header('cache-control', 'no-store').redirect(loginPage + query, 302);
      return undefined;
    },
  };
}

/** A login that must still set up a second factor can open only its setup and the logout. */
const mayOpenPage = ({ setUpOnly }: Caller, { url }: FastifyRequest): boolean =>
  !setUpOnly || /^\/(settings\/security|logout)/.test(url);

/** Tokens of applications and personal access tokens must not open a user's pages. */
async function verify(verifier: TokenVerifier, token: string, request: FastifyRequest): Promise<Caller | undefined> {
  try {
    const caller = await verifier.verify(token, request);
    return isSignedIn(caller) ? caller : undefined;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}

/** The page to return to. The address of a form is not a page, so its section is used. */
export function pagePathOf({ method, url }: FastifyRequest): string {
  if (method === 'GET' || method === 'HEAD') return url;
  if (url.startsWith('/device')) return '/device';
  return url.startsWith('/settings/') ? withoutQuery(url).split('/').slice(0, 3).join('/') : '/';
}

/** The remaining lifetime of a token of ours. The token must already be verified. */
export function secondsLeft(token: string, now: number): number {
  const claims = parseJson<{ exp: number }>(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return Math.max(1, Math.floor(claims.exp - now / 1000));
}
