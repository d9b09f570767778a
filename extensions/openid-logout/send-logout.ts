import { commitAndInvalidate } from '../../src/database/bus.ts';
import { idTokenAlgorithm } from '../../src/database/keys/make-keys.ts';
import { uuidv7 } from '../../src/database/uuid.ts';
import type { GuardedFetch } from '../../src/http/outbound/guarded-fetch.ts';
import { systemSource as source } from '../../src/http/request-source.ts';
import { notifyOwner } from '../../src/identity/account-mails/request-mail.ts';
import { clearBackchannelLogoutUri, findClient, type StoredClient } from '../../src/oauth/clients/client-store.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { type Logout, logoutJob } from '../../src/oauth/openid/backchannel-logout.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import type { Job } from '../../src/resources/queue/job.ts';
import { countFailures, forgetFailures } from './failed-notice-store.ts';

/** Consecutive failed notifications, including this one. */
const maxFailures = 3;

/** Disables an address that keeps failing, and notifies its owner. */
async function disableAddress({ context, mail }: LogoutServices, clientId: string, subject: string | null) {
  const { database, log, now } = context;
  if ((await countFailures(database.db, logoutJob, subject)) + 1 < maxFailures) return;
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

/** OpenID Connect Back-Channel Logout 2.4. */
const typ = 'logout+jwt';
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** In seconds: enough for clock differences (2.4). */
const lifetimeSeconds = 120;
const maxResponseBytes = 64 * 1024;

type LogoutServices = Pick<OAuth, 'context' | 'keys' | 'mail'>;

/** Notifies an application of a logout (OpenID Connect Back-Channel Logout 1.0). */
export async function handleLogout(
  services: LogoutServices,
  fetch: GuardedFetch,
  { data, subject, attempt }: Job<Logout>,
  maxAttempts: number,
): Promise<void> {
  try {
    await sendLogout(services, fetch, data);
  } catch (error) {
    if (attempt >= maxAttempts) await disableAddress(services, data.clientId, subject);
    throw error;
  }
  await forgetFailures(services.context.database.db, logoutJob, subject);
}

async function sendLogout(services: LogoutServices, fetch: GuardedFetch, logout: Logout) {
  // If the owner of the application is disabled, its users still sign out.
  const client = await findClient(services.context.database.db, logout.clientId, { ofDisabledOwners: true });
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
