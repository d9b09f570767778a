import type { Context } from '../../src/database/context.ts';
import { type RefreshRequest, refreshSession as rotate } from '../../src/oauth/sessions/refresh-session.ts';
import type { NewSession, Sessions } from '../../src/oauth/sessions/sessions.ts';
import type { SessionRow, TokenSession } from '../../src/oauth/sessions/store/session-store.ts';

/** Opens a session, and returns when it is on disk. */
export async function openSession(
  { context, sessions }: { context: Context; sessions: Sessions },
  session: NewSession,
): Promise<SessionRow> {
  const opened = sessions.open(context.database, session);
  await opened.durable;
  return opened.session;
}

/** Refreshes like the token endpoint: returns the tokens when the session is on disk. */
export async function refreshSession(
  sessions: Sessions,
  refresh: RefreshRequest,
): Promise<{ session: TokenSession; accessToken: string }> {
  const { session, durable } = await rotate(sessions, refresh);
  const accessToken = await sessions.signAccessToken(session);
  await durable;
  return { session, accessToken };
}
