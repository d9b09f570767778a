import type { Caller } from '../../platform/caller.ts';
import type { OAuth } from '../oauth.ts';
import { findSession, type SessionRow } from '../sessions/store/session-store.ts';

/** The browser session of a signed-in user. */
export interface BrowserLogin {
  readonly caller: Caller;
  readonly userId: string;
  readonly session: SessionRow;
  /** The time of the authentication. */
  readonly authTime: number;
}

/** Finds the login of a browser session. Other tokens are rejected: a cookie must not give them more rights. */
export async function findBrowserLogin({ context, clients }: Pick<OAuth, 'context' | 'clients'>, caller: Caller) {
  const { userId, sessionId, clientId } = caller;
  if (caller.kind !== 'user' || userId === null || sessionId === null || clientId === null) return undefined;
  const session = await findSession(context.database, sessionId);
  if (session?.type !== 'session' || session.revoked_at !== null) return undefined;
  if ((await clients.find(clientId))?.type !== 'password') return undefined;
  return { caller, userId, session, authTime: session.auth_time ?? session.created_at };
}
