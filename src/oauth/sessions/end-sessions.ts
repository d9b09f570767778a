import type { Invalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import { pruneBefore, pruneInBatches } from '../../database/prune-in-batches.ts';
import { findClientIdsOf } from '../../identity/accounts/forget-user-store.ts';
import { removeKeys } from '../clients/client-store.ts';
import { removeSecrets } from '../clients/secrets/secret-store.ts';
import type { Sessions } from './sessions.ts';
import { deleteLogins, deleteOrphanedLogins } from './store/application-login-store.ts';
import { pruneExpired } from './store/prune-store.ts';
import { revokeSessions, revokeWithoutOfflineAccess, type SessionFilter } from './store/session-store.ts';

/** Ended sessions are kept this long, for investigations. */
const retentionMs = 3_600_000;
/** More than the default: each batch searches all old logins again. */
const loginsOfBatch = 200;

/** Deletes expired sessions, and sessions that ended more than an hour ago. */
export const pruneSessions = async (context: Context): Promise<number> =>
  (await pruneExpired(context)) + (await pruneBefore(context, 'sessions', 'revoked_at', context.now() - retentionMs));

/** Deletes application logins without any session that are older than the lifetime of a refresh token. */
export const pruneLogins = (context: Context): Promise<number> =>
  pruneInBatches(
    context,
    (limit) => {
      const { config, database, now } = context;
      return deleteOrphanedLogins(database.db, now() - config.refreshTokenTtl * 1000, limit);
    },
    loginsOfBatch,
  );

/** Ends sessions and the application logins of a browser session; offline access stays (Back-Channel Logout 2.7). */
export async function endSessions(
  { context: { metrics, now }, notifyApplications }: Pick<Sessions, 'context' | 'notifyApplications'>,
  tx: Tx,
  invalidate: Invalidate,
  filter: SessionFilter,
  /** For metrics. */
  cause: string,
): Promise<number> {
  const ended = await revokeSessions(tx, filter, now());
  if ('sessionId' in filter) invalidate({ kind: 'session', id: filter.sessionId });
  else if ('userId' in filter) invalidate({ kind: 'user', id: filter.userId });
  else invalidate({ kind: 'client', id: filter.clientId });
  metrics.revocations.inc({ cause }, ended.length);
  const logins = await deleteLogins(tx, filter);
  if (logins.length === 0) return ended.length;
  const applicationSessionIds = logins.map(({ session_id }) => session_id).filter((id) => !ended.includes(id));
  for (const id of await revokeWithoutOfflineAccess(tx, applicationSessionIds, now()))
    invalidate({ kind: 'session', id });
  await notifyApplications(tx, logins);
  return ended.length;
}

/** Ends the sessions of a user's clients and, unless kept, the secrets and keys of these clients. The clients stay. */
export async function endClients(
  sessions: Sessions,
  tx: Tx,
  invalidate: Invalidate,
  { userId, keepSecrets, cause }: { userId: string; keepSecrets: boolean; cause: string },
): Promise<void> {
  for (const clientId of await findClientIdsOf(tx, userId)) {
    if (!keepSecrets) {
      await removeKeys(tx, clientId, sessions.context.now());
      await removeSecrets(tx, clientId);
    }
    await endSessions(sessions, tx, invalidate, { clientId }, cause);
  }
}
