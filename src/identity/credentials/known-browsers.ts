import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { networkOf } from '../../http/network-of.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { describeUserAgent, recogniseUserAgent } from '../../http/user-agent.ts';
import { notifyOwner } from '../account-mails/request-mail.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { saveTimeZone } from '../accounts/user-store.ts';
import { recordBrowser } from './known-browser-store.ts';

type Macs = Pick<KeyRing, 'macKeys'>;

const purpose = 'device';
/** Users who share a browser have separate entries. The oldest entry is dropped first. */
const maxEntries = 5;
const entryPattern = /^([\w-]{22})\.([\w-]{43})$/;

interface Entry {
  readonly nonce: string;
  readonly mac: string;
}

/** The MAC binds the nonce to the user. The entry does not name the user, so the cookie does not reveal whose browser it is. */
const macInput = (userId: string, nonce: string): string => `${userId}:${nonce}`;

function entriesOf(cookie: string | undefined): Entry[] {
  if (cookie === undefined || cookie.length > 1024) return [];
  return cookie.split('~').flatMap((text) => {
    const [, nonce = '', mac = ''] = entryPattern.exec(text) ?? [];
    return nonce && mac ? [{ nonce, mac }] : [];
  });
}

const isEntryOf = (keys: Macs, userId: string, { nonce, mac }: Entry): boolean =>
  keys.macKeys.matches(purpose, macInput(userId, nonce), mac);

/** The name of this browser for this user. Undefined if the user has not signed in with it before. */
export const knownBrowserOf = (keys: Macs, { browserCookie }: RequestSource, userId: string): string | undefined =>
  entriesOf(browserCookie)
    .slice(-maxEntries)
    .find((entry) => isEntryOf(keys, userId, entry))?.nonce;

/** The cookie after this user signed in. A browser keeps its name, so that a sign-in does not reset its count. */
export function addKnownBrowser(keys: Macs, source: RequestSource, userId: string): string {
  const nonce = knownBrowserOf(keys, source, userId) ?? randomBytes(16).toString('base64url');
  const otherEntries = entriesOf(source.browserCookie).filter((entry) => entry.nonce !== nonce);
  // Signed with the newest key: each sign-in rewrites the entry, so it survives a key rotation.
  const ownEntry = { nonce, mac: keys.macKeys.mac(purpose, macInput(userId, nonce)) };
  return [...otherEntries.slice(1 - maxEntries), ownEntry].map((entry) => `${entry.nonce}.${entry.mac}`).join('~');
}

/** Notifies the owner of a login from a new browser, except the first. A browser is known by its cookie, or by name and network. */
export async function notifyOfLogin(
  services: AccountServices,
  tx: Tx,
  { userId, source }: { userId: string; source: RequestSource },
): Promise<void> {
  const { context, keys } = services;
  await saveTimeZone(tx, userId, source);
  const network = networkOf(source.address ?? 'unknown');
  const fingerprint = createHash('sha256')
    .update(`${userId}\n${network}\n${describeUserAgent(source.userAgent)}`)
    .digest('base64url');
  const seen = await recordBrowser(tx, { userId, fingerprint, now: context.now() });
  if (!seen.new || seen.first || knownBrowserOf(keys, source, userId) !== undefined) return;
  const data = { browser: recogniseUserAgent(source.userAgent) ?? 'another application', address: source.address };
  await notifyOwner(services, tx, { userId, template: 'new-login', data, source });
}
