import { commitAndInvalidate, everything } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import type { Tx } from '../../src/database/database.ts';
import type { KeyRing } from '../../src/database/keys/key-ring.ts';
import { lockForRevocationOfAll } from '../../src/database/locks/revocation-locks.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import { invalidateAllOneTimeTokens } from '../../src/identity/account-mails/one-time-token-store.ts';
import { closeAllEmailChanges } from '../../src/identity/accounts/email-change-store.ts';
import { endAllSecrets } from '../../src/oauth/clients/secrets/secret-store.ts';
import { endAllLogins } from '../../src/oauth/openid/backchannel-logout.ts';
import { revokeAllSessions } from '../../src/oauth/sessions/store/session-store.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { disableWebhooks } from '../../src/resources/disable-webhooks-store.ts';
import { deleteStoredResponses } from '../../src/resources/write/idempotency.ts';
import { createNewKeys, storeNewKeys } from './replace-keys.ts';

/** Ends all sessions, links and (unless kept) personal tokens, after a database was restored from a backup. */
export const endAllSessions = (context: Context, source: RequestSource, { keepPersonal }: { keepPersonal: boolean }) =>
  commitAndInvalidate(context.database, async (tx, invalidate) => {
    await lockForRevocationOfAll(tx);
    const links = await invalidateAllOneTimeTokens(tx, context.now());
    const sessions = await revokeAllSessions(tx, context.now(), { keepPersonal });
    await endAllLogins(context, tx);
    invalidate(everything);
    const data = { sessions, links, personal_tokens_kept: keepPersonal };
    await recordEvent(context, tx, { type: 'sessions.ended', source, data });
    context.metrics.revocations.inc({ cause: 'operator' }, sessions);
    return { sessions, links };
  });

/** The numbers of credentials that ended with compromised keys. */
export type EndedCredentials = Awaited<ReturnType<typeof endAll>>;

/** Replaces signing and MAC keys. `compromised` also ends everything made with them. Returns when no instance uses the old keys. */
export async function rotateKeys(
  context: Context,
  keys: KeyRing,
  { source, compromised = false }: { source: RequestSource; compromised?: boolean },
) {
  const created = await createNewKeys(context, keys.sealing, compromised);
  const { id, algorithm, signs_from: signsFrom } = created.signing;
  return commitAndInvalidate(context.database, async (tx, invalidate) => {
    if (compromised) await lockForRevocationOfAll(tx);
    await storeNewKeys(context, tx, invalidate, created);
    const ended = compromised ? await endAll(context, tx) : undefined;
    const data = { key: id, mac_key: created.mac.id, algorithm, compromised, ...(ended ? { ended } : {}) };
    await recordEvent(context, tx, { type: 'keys.rotated', source, data });
    return { id, algorithm, signsFrom, ended };
  });
}

/** Uses the same table order as other transactions, sessions last, so that there are no deadlocks. */
async function endAll(context: Context, tx: Tx) {
  const now = context.now();
  await deleteStoredResponses(tx);
  const links = (await invalidateAllOneTimeTokens(tx, now)) + (await closeAllEmailChanges(tx, now));
  /** Clients whose secrets ended. */
  const clients = await endAllSecrets(tx);
  const sessions = await revokeAllSessions(tx, now);
  // An attacker with a forged token may have created webhooks.
  await disableWebhooks(context, tx, {}, 'the keys were compromised');
  await endAllLogins(context, tx);
  return { links, clients, sessions };
}
