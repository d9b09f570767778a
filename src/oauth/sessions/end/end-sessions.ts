import type { Invalidate } from '../../../database/bus.ts';
import type { Tx } from '../../../database/database.ts';
import type { Sessions } from '../sessions.ts';
import { clientsToNotify, takeLogins } from '../store/application-login-store.ts';
import { revokeOnline, revokeSessions, type SessionsOf } from '../store/session-store.ts';

/**
 * Ends sessions, and with a browser's session those of the applications that it signed somebody in to; what they may do
 * offline goes on (OpenID Connect Back-Channel Logout 2.7). Applications that want to know are told. Returns how many were
 * live.
 */
export async function endSessions(
  { context: { metrics, now }, notify }: Pick<Sessions, 'context' | 'notify'>,
  tx: Tx,
  invalidate: Invalidate,
  of: SessionsOf,
  /** For the metrics. */
  cause: string,
): Promise<number> {
  const ended = await revokeSessions(tx, of, now());
  if ('sessionId' in of) invalidate({ kind: 'session', id: of.sessionId });
  else if ('userId' in of) invalidate({ kind: 'user', id: of.userId });
  else invalidate({ kind: 'client', id: of.clientId });
  metrics.revocations.inc({ cause }, ended.length);
  const logins = await takeLogins(tx, of);
  if (logins.length === 0) return ended.length;
  const begun = logins.map(({ session_id }) => session_id).filter((id) => !ended.includes(id));
  for (const id of await revokeOnline(tx, begun, now())) invalidate({ kind: 'session', id });
  const wanting = await clientsToNotify(tx, [...new Set(logins.map(({ client_id }) => client_id))]);
  await notify(
    tx,
    logins.filter(({ client_id }) => wanting.has(client_id)),
    wanting,
  );
  return ended.length;
}
