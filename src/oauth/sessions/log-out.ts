import { changeAs, type HoldAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { endSessions } from './end-sessions.ts';
import type { Sessions } from './sessions.ts';

/** Ends the session whose token the caller presented, on every instance, before this returns. */
export async function logOut(
  context: Context,
  sessions: Sessions,
  holdAuthority: HoldAuthority,
  { caller, source }: { caller: Caller; source: RequestSource },
): Promise<void> {
  const { sessionId, userId, clientId } = caller;
  if (!sessionId) return;
  await changeAs(context.database, holdAuthority, { caller, ofAccounts: true }, async (tx, invalidate) => {
    const ended = await endSessions(sessions, tx, invalidate, { sessionId }, 'logout');
    if (ended > 0) await recordEvent(context, tx, { type: 'logout', userId, clientId, sessionId, source });
  });
}
