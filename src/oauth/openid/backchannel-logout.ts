import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import { enqueueAll } from '../../resources/queue/enqueue.ts';
import { subjectAt } from '../../resources/queue/job.ts';
import {
  type ApplicationLogin,
  deleteAllLogins,
  findBackchannelLogoutUris,
} from '../sessions/store/application-login-store.ts';

/** The name of the job that `extensions/openid-logout` handles. */
export const logoutJob = 'backchannel-logout';

export interface Logout {
  readonly clientId: string;
  readonly sub: string;
  readonly sid: string;
}

/** Runs in the transaction that ends the logins, so that applications are notified only of committed logouts. */
export async function enqueueLogouts(context: Context, tx: Tx, logins: readonly ApplicationLogin[]): Promise<void> {
  const addresses = await findBackchannelLogoutUris(tx, [...new Set(logins.map(({ client_id }) => client_id))]);
  const jobs = logins.flatMap(({ client_id: clientId, user_id: sub, session_id: sid }) => {
    const address = addresses.get(clientId);
    const data: Logout = { clientId, sub, sid };
    return address === undefined ? [] : [{ name: logoutJob, subject: subjectAt(clientId, address), data }];
  });
  await enqueueAll(context, tx, jobs);
}

/** Ends the logins at all applications. Called when all sessions end. */
export async function endAllLogins(context: Context, tx: Tx): Promise<void> {
  const logins = await deleteAllLogins(tx);
  if (logins.length > 0) await enqueueLogouts(context, tx, logins);
}
