import { commitAndInvalidate } from '../database/bus.ts';
import type { Context } from '../database/context.ts';
import { lockForRevocationOfAll } from '../database/locks/revocation-locks.ts';
import type { RequestSource } from '../http/request-source.ts';
import { invalidateAllOneTimeTokens } from '../identity/account-mails/one-time-token-store.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import { endAllLogins } from './openid/backchannel-logout.ts';
import { revokeAllSessions } from './sessions/store/session-store.ts';

/** Ends all sessions, links and (unless kept) personal tokens, after a database was restored from a backup. */
export const endAllSessions = (context: Context, source: RequestSource, { keepPersonal }: { keepPersonal: boolean }) =>
  commitAndInvalidate(context.database, async (tx, invalidate) => {
    await lockForRevocationOfAll(tx);
    const links = await invalidateAllOneTimeTokens(tx, context.now());
    const sessions = await revokeAllSessions(tx, context.now(), { keepPersonal });
    await endAllLogins(context, tx);
    invalidate({ kind: 'everything', id: '' });
    const data = { sessions, links, personal_tokens_kept: keepPersonal };
    await recordEvent(context, tx, { type: 'sessions.ended', source, data });
    context.metrics.revocations.inc({ cause: 'operator' }, sessions);
    return { sessions, links };
  });
