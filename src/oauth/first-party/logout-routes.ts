import { Type } from 'typebox';
import type { ProxiedClient } from '../../config/config.ts';
import type { App } from '../../http/app.ts';
import { requestSource } from '../../http/request-source.ts';
import type { OAuth } from '../oauth.ts';
import { logOut } from '../sessions/log-out.ts';
import { refreshCookie, refreshCookieName } from './refresh-cookie.ts';

const response = Type.Object({ message: Type.Literal('Token revoked successfully.') });

/** The end of a session: its access token, its refresh token, and the cookie that a proxy set. */
export function serveLogout(
  app: App,
  { context, sessions, holdAuthority }: Pick<OAuth, 'context' | 'sessions' | 'holdAuthority'>,
  proxiedClients: readonly ProxiedClient[],
): void {
  app.delete(
    '/v1/logout',
    {
      config: { auth: 'auth:api' },
      schema: {
        tags: ['OAuth'],
        summary: 'Revoke the presented access token and end its session',
        response: { 200: response },
        'x-client': 'await gatehouse.logout();',
      },
    },
    async (request, reply) => {
      await logOut(context, sessions, holdAuthority, { caller: request.caller, source: requestSource(request) });
      for (const proxied of proxiedClients) {
        reply.clearCookie(refreshCookieName, refreshCookie(context.config, proxied));
      }
      reply.header('cache-control', 'no-store');
      return { message: 'Token revoked successfully.' as const };
    },
  );
}
