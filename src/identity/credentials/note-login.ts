import { createHash } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import { networkOf } from '../../http/network-of.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { describeUserAgent, recogniseUserAgent } from '../../http/user-agent.ts';
import { notifyOwner } from '../account-mails/notify-owner.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { keepTimeZone } from '../accounts/time-zone-store.ts';
import { seeBrowser } from './known-browser-store.ts';
import { knownBrowserOf } from './known-browsers.ts';

/**
 * In the transaction that opens a session: a login from a browser that was not seen before is reported to the owner, but for the
 * first of all. A browser is known by its cookie, and where it keeps none, by what it calls itself in which network: a browser
 * that updated itself stays the same.
 */
export async function noteLogin(
  context: Context,
  { keys, mail }: Pick<AccountServices, 'keys' | 'mail'>,
  tx: Tx,
  { userId, source }: { userId: string; source: RequestSource },
): Promise<void> {
  await keepTimeZone(tx, userId, source);
  const network = networkOf(source.address ?? 'unknown');
  const fingerprint = createHash('sha256')
    .update(`${userId}\n${network}\n${describeUserAgent(source.userAgent)}`)
    .digest('base64url');
  const seen = await seeBrowser(tx, { userId, fingerprint, now: context.now() });
  if (!seen.new || seen.first || knownBrowserOf(keys, source, userId) !== undefined) return;
  const data = { browser: recogniseUserAgent(source.userAgent) ?? 'another application', address: source.address };
  await notifyOwner(context, mail, tx, { userId, template: 'new-login', data, source });
}
