import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import { networkOf } from '../../http/network-of.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { OAuthError } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { requireSecret } from '../clients/secrets/client-secrets.ts';
import { endSessions } from './end-sessions.ts';
import type { Sessions } from './sessions.ts';
import { rotateSession, setRetriedGeneration } from './store/rotation-store.ts';
import {
  findSession,
  type SessionRow,
  type StoredSession,
  sessionEnd,
  type TokenSession,
} from './store/session-store.ts';
import { isWithinGrace, readRefreshToken } from './tokens/refresh-token.ts';

/** In milliseconds. Longer than any session. */
const unlimitedMs = 1e14;

export interface RefreshRequest {
  readonly refreshToken: string;
  readonly clientId: string;
  /** The secret that authenticated the client. */
  readonly secretId?: string | undefined;
  readonly source: RequestSource;
}

/** Moves a session to its next generation. The new refresh token replaces the presented one. */
export async function refreshSession(
  sessions: Sessions,
  refresh: RefreshRequest,
): Promise<StoredSession<TokenSession>> {
  const { context, keys, legacyTokens } = sessions;
  const { config, database, metrics, now } = context;
  const presented =
    readRefreshToken(keys, refresh.refreshToken) ??
    (await legacyTokens.readRefresh(refresh.refreshToken, refresh.source.address));
  if (!presented) throw refreshError(context, 'forged', 'not a refresh token of this service');
  const at = now();
  const rotation = {
    id: presented.sessionId,
    generation: presented.generation,
    client_id: refresh.clientId,
    secret_id: refresh.secretId ?? null,
    now: at,
    expires_at: at + config.refreshTokenTtl * 1000,
    max_age: config.sessionMaxAge === 0 ? unlimitedMs : config.sessionMaxAge * 1000,
    address: refresh.source.address,
    user_agent: refresh.source.userAgent,
  };
  const { rows, durable } = await rotateSession(database, rotation);
  const [session] = rows;
  if (!session) {
    // The other request may be in the same commit. Its change can be read only after that commit.
    await durable;
    await requireSecret(context, database.db, refresh.secretId);
    return { session: await resolveStaleRefresh(sessions, presented, refresh), durable };
  }
  metrics.refreshes.inc({ result: 'rotated' });
  return { session, durable };
}

/** The generation has changed, or the session has ended. A retry gets the same successor. Other requests are refused. */
async function resolveStaleRefresh(
  sessions: Sessions,
  { sessionId, generation }: { sessionId: string; generation: number },
  refresh: RefreshRequest,
): Promise<SessionRow> {
  const { context } = sessions;
  const { config, database, metrics, now } = context;
  const session = await findSession(database, sessionId);
  if (!session) throw refreshError(context, 'gone', 'session is gone');
  if (session.client_id !== refresh.clientId) throw refreshError(context, 'foreign', 'refresh token of another client');
  if (session.revoked_at !== null) throw refreshError(context, 'revoked', 'session has ended');
  const endsAt = sessionEnd(session, config);
  if (endsAt <= now()) throw refreshError(context, 'expired', 'session has expired');
  // Only a database that was restored from a backup can be behind its tokens. This is not theft.
  if (generation >= session.generation) throw refreshError(context, 'unknown', 'generation is not known');
  if (isWithinGrace(session, generation, config, now())) {
    await recordRetry(context, session, refresh.source);
    metrics.refreshes.inc({ result: 'repeated' });
    return { ...session, expires_at: endsAt };
  }
  await revokeReusedSession(sessions, session, generation, refresh.source);
  throw refreshError(context, 'reused', `generation ${generation} used again, at ${session.generation}`);
}

/** Commits the revocation. The caller throws afterwards. */
async function revokeReusedSession(sessions: Sessions, session: SessionRow, generation: number, source: RequestSource) {
  const { context } = sessions;
  await commitAndInvalidate(context.database, async (tx, invalidate) => {
    const ended = await endSessions(sessions, tx, invalidate, { sessionId: session.id }, 'refresh_token_reused');
    if (ended === 0) return;
    await recordEvent(context, tx, {
      type: 'refresh_token.reused',
      userId: session.user_id,
      clientId: session.client_id,
      sessionId: session.id,
      source,
      data: { presented_generation: generation, current_generation: session.generation },
    });
  });
}

/** `result` is the label of the metric. */
function refreshError({ metrics }: Context, result: string, reason: string): OAuthError {
  metrics.refreshes.inc({ result });
  const description = 'The refresh token is invalid or no longer valid for this client: log in again.';
  return new OAuthError('invalid_grant', description, { reason });
}

/** Phones change networks, so a retry from another network gets a response. It may be theft, so it is recorded once per generation. */
async function recordRetry(context: Context, session: SessionRow, source: RequestSource): Promise<void> {
  const { id, generation, user_agent: firstAgent, retried_generation: recordedGeneration } = session;
  const firstAddress = session.rotated_address ?? session.address;
  const isSameSender = network(firstAddress) === network(source.address) && firstAgent === source.userAgent;
  if (isSameSender || (recordedGeneration !== null && recordedGeneration >= generation)) return;
  await context.database.db.transaction().execute(async (tx) => {
    if (!(await setRetriedGeneration(tx, { id, generation }))) return;
    await recordEvent(context, tx, {
      type: 'refresh_token.retried',
      userId: session.user_id,
      clientId: session.client_id,
      sessionId: id,
      source,
      data: { generation, first_address: firstAddress, first_user_agent: firstAgent },
    });
  });
}

const network = (address: string | null): string | null => address && networkOf(address);
