import type { Tx } from '../../src/database/database.ts';
import { requireConfirmedEmail } from '../../src/identity/credentials/require-confirmed-email.ts';
import { requireCredentials } from '../../src/oauth/clients/secrets/client-secrets.ts';
import type { GrantRequest, GrantResult, OAuth } from '../../src/oauth/oauth.ts';
import { required, resourcesIn } from '../../src/oauth/parameters.ts';
import { lockAuthorityRows } from '../../src/oauth/sessions/authority/authority-store.ts';
import { scopesOfSession } from '../../src/oauth/sessions/sessions.ts';
import type { StoredSession } from '../../src/oauth/sessions/store/session-store.ts';
import { OAuthError } from '../../src/platform/errors.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { hashDeviceCode } from './device-authorization.ts';
import { type DeviceRow, findDevice, lockDevice, markRedeemed, recordPoll } from './device-store.ts';

/** RFC 8628 3.5: the interval grows by this time after each early poll. */
const slowDownSeconds = 5;
/** A device that keeps to the interval may still arrive slightly early by our clock. */
const leewayMs = 500;

const pollingErrors = {
  unknown: () => new OAuthError('invalid_grant', 'The device code is unknown, was used, or is for another client.'),
  pending: () =>
    new OAuthError('authorization_pending', 'The user has not decided yet. Poll again after the interval.'),
  early: () =>
    new OAuthError('slow_down', 'You polled too early. From now on, wait five seconds longer between requests.'),
  expired: () => new OAuthError('expired_token', 'The device code has expired. Request another one.'),
  denied: () => new OAuthError('access_denied', 'The request was refused.'),
};

/** The session, with the scopes that the device requested: the user may have left some out. */
type Redeemed = StoredSession & { readonly requestedScopes: readonly string[] };

/** RFC 8628 3.4: the device polls until the user has decided. */
export async function redeemDeviceCode(oauth: OAuth, request: GrantRequest): Promise<GrantResult> {
  const deviceCodeHash = hashDeviceCode(required(request.parameters, 'device_code'));
  const { database } = oauth.context;
  // The counter must be stored, so the error is thrown after the commit.
  const outcome = await database.db.transaction().execute(async (tx) => {
    const device = await findDevice(tx, deviceCodeHash);
    if (device?.client_id !== request.client.id) return 'unknown';
    // Locked before the device's row, in the same order as deleting a user or a client.
    if (device.session_id !== null && !(await lockSubjects(oauth, request, tx, device))) return 'denied';
    const row = await lockDevice(tx, deviceCodeHash);
    return row ? checkPoll(oauth, request, tx, row) : 'unknown';
  });
  if (typeof outcome === 'string') throw pollingErrors[outcome]();
  request.countRequest?.(outcome.session.id);
  return { ...outcome, scopes: scopesOfSession(outcome.session) };
}

async function checkPoll(oauth: OAuth, request: GrantRequest, tx: Tx, row: DeviceRow) {
  const now = oauth.context.now();
  if (row.redeemed_at !== null) return 'unknown';
  if (row.decided_at !== null && row.session_id === null) return 'denied';
  if (row.expires_at <= now) return 'expired';
  if (row.session_id !== null) return redeem(oauth, request, tx, { ...row, session_id: row.session_id });
  const isEarly = row.polled_at !== null && now - row.polled_at < row.poll_seconds * 1000 - leewayMs;
  const pollSeconds = row.poll_seconds + (isEarly ? slowDownSeconds : 0);
  await recordPoll(tx, { id: row.id, pollSeconds, now });
  return isEarly ? 'early' : 'pending';
}

/** Whether the user, the client and the session exist. They stay locked until the transaction ends. */
async function lockSubjects(
  { context }: OAuth,
  { client }: GrantRequest,
  tx: Tx,
  { user_id: userId, session_id: sessionId }: DeviceRow,
): Promise<boolean> {
  const ids = { kind: 'user', userId: userId ?? '', clientId: client.id, sessionId: sessionId ?? '' } as const;
  const { user, session } = await lockAuthorityRows(tx, context.database.engine, ids, 'change');
  await requireCredentials(context, tx, client);
  return user !== undefined && !user.disabled && session !== undefined && session.revoked_at === null;
}

/** The user's consent opened the session. It may have ended since. */
async function redeem(
  { context, sessions, audiences, notifyOfLogin }: OAuth,
  request: GrantRequest,
  tx: Tx,
  { id, scopes, resource, session_id: sessionId, user_id: userId }: DeviceRow & { session_id: string },
): Promise<Redeemed | 'denied'> {
  const { client, source } = request;
  await requireConfirmedEmail(context.config, tx, userId);
  // RFC 8707: a subset of the audiences of the device code. An error does not use up the code.
  audiences.narrow(resource, resourcesIn(request.parameters));
  await markRedeemed(tx, id, context.now());
  const session = await sessions.activateForDevice(tx, request, sessionId);
  if (!session || userId === null) return 'denied';
  await notifyOfLogin(tx, { userId, source });
  await recordEvent(context, tx, { type: 'login.succeeded', userId, clientId: client.id, sessionId, source });
  return { session, durable: Promise.resolve(), requestedScopes: parseJson(scopes) };
}
