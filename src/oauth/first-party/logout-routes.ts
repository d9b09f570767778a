import { Type } from 'typebox';
import type { ProxiedClient } from '../../config/config.ts';
import { changeAs, type LockAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { App } from '../../http/app.ts';
import { type RequestSource, requestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { OAuth } from '../oauth.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { refreshCookie, refreshCookieName } from './proxy-routes.ts';

const response = Type.Object({ message: Type.Literal('Token revoked successfully.') });

/** Ends a session: its access token, its refresh token, and the cookie of a proxy. */
export function serveLogout(
  app: App,
  { context, sessions, lockAuthority }: Pick<OAuth, 'context' | 'sessions' | 'lockAuthority'>,
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
      await logOut(context, sessions, lockAuthority, { caller: request.caller, source: requestSource(request) });
      for (const proxied of proxiedClients) {
        reply.clearCookie(refreshCookieName, refreshCookie(context.config, proxied));
      }
      reply.header('cache-control', 'no-store');
      return { message: 'Token revoked successfully.' as const };
    },
  );
}

/** Ends the session of the caller's token. Returns when no instance accepts the token any more. */
export async function logOut(
  context: Context,
  sessions: Sessions,
  lockAuthority: LockAuthority,
  { caller, source }: { caller: Caller; source: RequestSource },
): Promise<void> {
  const { sessionId, userId, clientId } = caller;
  if (!sessionId) return;
  await changeAs(context.database, lockAuthority, { caller, changesAccounts: true }, async (tx, invalidate) => {
    const ended = await endSessions(sessions, tx, invalidate, { sessionId }, 'logout');
    if (ended > 0) await recordEvent(context, tx, { type: 'logout', userId, clientId, sessionId, source });
  });
}
