import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import { idTokenAlgorithm } from '../../database/keys/make-keys.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { createGuardedFetch, type GuardedFetch } from '../../http/outbound/guarded-fetch.ts';
import { systemSource as source } from '../../http/request-source.ts';
import { notifyOwner } from '../../identity/account-mails/request-mail.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { enqueueAll } from '../../resources/queue/enqueue.ts';
import { type Job, subjectAt } from '../../resources/queue/job.ts';
import { countFailures, forgetFailures } from '../../resources/queue/job-store.ts';
import type { Queue } from '../../resources/queue/queue.ts';
import { clearBackchannelLogoutUri, type StoredClient } from '../clients/client-store.ts';
import type { OAuth } from '../oauth.ts';
import {
  type ApplicationLogin,
  deleteAllLogins,
  findBackchannelLogoutUris,
} from '../sessions/store/application-login-store.ts';

/** Consecutive failed notifications, including this one. */
const maxFailures = 3;

/** Disables an address that keeps failing, and notifies its owner. */
async function disableAddress({ context, mail }: LogoutServices, clientId: string, subject: string | null) {
  const { database, log, now } = context;
  if ((await countFailures(database.db, jobName, subject)) + 1 < maxFailures) return;
  await commitAndInvalidate(database, async (tx, invalidate) => {
    const client = await clearBackchannelLogoutUri(tx, clientId, now());
    if (!client) return;
    const { user_id: userId, name, uri } = client;
    invalidate({ kind: 'client', id: clientId });
    log.warn({ client: clientId, uri }, 'an address for back-channel logout keeps failing; it is disabled');
    const data = { fields: ['backchannel_logout_uri'], changes: { backchannel_logout_uri: { from: uri, to: null } } };
    await recordEvent(context, tx, { type: 'client.logout_disabled', userId, clientId, source, data });
    const mailData = { application: name, uri };
    if (userId !== null)
      await notifyOwner({ context, mail }, tx, { userId, template: 'logout-disabled', data: mailData, source });
  });
}

const jobName = 'backchannel-logout';
/** OpenID Connect Back-Channel Logout 2.4. */
const typ = 'logout+jwt';
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** In seconds: enough for clock differences (2.4). */
const lifetimeSeconds = 120;
const maxResponseBytes = 64 * 1024;

interface Logout {
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
    return address === undefined ? [] : [{ name: jobName, subject: subjectAt(clientId, address), data }];
  });
  await enqueueAll(context, tx, jobs);
}

/** Ends the logins at all applications. Called when all sessions end. */
export async function endAllLogins(context: Context, tx: Tx): Promise<void> {
  const logins = await deleteAllLogins(tx);
  if (logins.length > 0) await enqueueLogouts(context, tx, logins);
}

type LogoutServices = Pick<OAuth, 'context' | 'keys' | 'clients' | 'mail'>;

/** Retries for about ten minutes. After that, the application has noticed by itself that its tokens are invalid. */
const maxAttempts = 6;
/** Concurrent jobs per address, per host and in all, so that one address or host cannot occupy the queue. */
const lanes = { ofSubject: 1, ofHost: 2, ofName: 20 };

/** Notifies applications of logouts (OpenID Connect Back-Channel Logout 1.0). */
export function sendLogouts(queue: Queue, services: LogoutServices): void {
  const fetch = createGuardedFetch(services.context.config);
  const handle = async ({ data, subject, attempt }: Job<Logout>) => {
    try {
      await sendLogout(services, fetch, data);
    } catch (error) {
      if (attempt >= maxAttempts) await disableAddress(services, data.clientId, subject);
      throw error;
    }
    await forgetFailures(services.context.database.db, jobName, subject);
  };
  queue.handle(jobName, handle, { attempts: maxAttempts, lanes });
}

async function sendLogout(services: LogoutServices, fetch: GuardedFetch, logout: Logout) {
  const client = await services.clients.find(logout.clientId);
  // The client was deleted, or its logout address was removed.
  if (!client?.backchannel_logout_uri) return;
  await services.keys.ensureCurrent();
  const body = new URLSearchParams({ logout_token: logoutToken(services, client, logout) }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', headers, body, maxBytes: maxResponseBytes } as const;
  const { status } = await fetch(client.backchannel_logout_uri, request);
  // OpenID Connect Back-Channel Logout 2.8 requires 200. Some frameworks can only respond with 204.
  if (status !== 200 && status !== 204) throw new Error(`the application returned ${status}`);
}

/** 2.4: a logout token has no nonce, so that it cannot be mistaken for an ID token. */
function logoutToken({ context, keys }: LogoutServices, client: StoredClient, { clientId, sub, sid }: Logout): string {
  const { config, now } = context;
  const at = now();
  const iat = Math.floor(at / 1000);
  const claims = { iss: config.baseUrl, sub, aud: clientId, iat, exp: iat + lifetimeSeconds, jti: uuidv7(at), sid };
  // 2.6: applications verify it like an ID token.
  const algorithm = client.id_token_signed_response_alg ?? idTokenAlgorithm;
  return keys.signingKeys.sign({ ...claims, events: { [logoutEvent]: {} } }, { typ, algorithm });
}
