import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import { systemSource as source } from '../../http/request-source.ts';
import { notifyOwner } from '../../identity/account-mails/notify-owner.ts';
import type { Mail } from '../../identity/mail/mail.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { countFailures } from '../../resources/queue/job-store.ts';
import { clearLogoutAddress } from '../clients/update-application-store.ts';

/** So many notices in a row that were given up, this one included. */
const mostFailures = 3;

/** Takes an address that keeps failing out of use. Its owner hears of it. */
export async function disableAddress(
  { context, mail }: { readonly context: Context; readonly mail: Mail },
  jobName: string,
  { clientId, subject }: { readonly clientId: string; readonly subject: string | null },
): Promise<void> {
  const { database, log, now } = context;
  if ((await countFailures(database.db, jobName, subject)) + 1 < mostFailures) return;
  await commitAndInvalidate(database, async (tx, invalidate) => {
    const client = await clearLogoutAddress(tx, clientId, now());
    if (!client) return;
    const { user_id: userId, name, uri } = client;
    invalidate({ kind: 'client', id: clientId });
    log.warn({ client: clientId, uri }, 'an address for back-channel logout keeps failing; it is disabled');
    const data = { fields: ['backchannel_logout_uri'], changes: { backchannel_logout_uri: { from: uri, to: null } } };
    await recordEvent(context, tx, { type: 'client.logout_disabled', userId, clientId, source, data });
    const said = { application: name, uri };
    if (userId !== null)
      await notifyOwner(context, mail, tx, { userId, template: 'logout-disabled', data: said, source });
  });
}
