import type { Context } from '../../../database/context.ts';
import { pruneInBatches } from '../../../database/prune-in-batches.ts';
import { deleteForgotten } from '../store/application-login-store.ts';
import { deleteEnded } from '../store/session-store.ts';

/** Ended sessions are kept this long, for investigations. */
const retentionMs = 3_600_000;

/** Removes all sessions that ended or expired. */
export const pruneSessions = ({ database: { db, engine }, now }: Context): Promise<number> =>
  pruneInBatches((limit) => deleteEnded(db, engine, { now: now(), endedBefore: now() - retentionMs, limit }));

/** Forgets logins at applications of which neither session is left, when they are older than a refresh token lives. */
export const pruneLogins = ({ config, database, now }: Context): Promise<number> =>
  pruneInBatches((limit) => deleteForgotten(database.db, now() - config.refreshTokenTtl * 1000, limit));
