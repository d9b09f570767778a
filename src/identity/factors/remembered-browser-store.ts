import { hash } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { knownBrowserOf } from '../credentials/known-browsers.ts';

type Macs = Pick<KeyRing, 'macKeys'>;

const hashOf = (userId: string, browser: string): string => hash('sha256', `${userId}\n${browser}`, 'base64url');

/** Whether this browser need not ask for this user's second factor. A browser is identified by its cookie. */
export async function isRemembered({ database, now }: Context, keys: Macs, userId: string, source: RequestSource) {
  const browser = knownBrowserOf(keys, source, userId);
  if (browser === undefined) return false;
  const { numUpdatedRows } = await database.db
    .updateTable('remembered_browsers')
    .set({ last_used_at: now(), address: source.address })
    .where('device_hash', '=', hashOf(userId, browser))
    .where('user_id', '=', userId)
    .where('expires_at', '>', now())
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Remembers the browser with this cookie, for MFA_REMEMBER. */
export async function rememberBrowser(
  { config, now }: Context,
  keys: Macs,
  tx: Tx,
  { userId, source, cookie }: { userId: string; source: RequestSource; cookie: string },
): Promise<void> {
  const browser = knownBrowserOf(keys, { ...source, browserCookie: cookie }, userId) as string;
  const at = now();
  const seen = { address: source.address, user_agent: source.userAgent, last_used_at: at };
  const row = { ...seen, expires_at: at + config.mfaRemember * 1000 };
  await tx
    .insertInto('remembered_browsers')
    .values({ id: uuidv7(at), user_id: userId, device_hash: hashOf(userId, browser), created_at: at, ...row })
    .onConflict((conflict) => conflict.column('device_hash').doUpdateSet(row))
    .execute();
}

export async function deleteBrowser(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('remembered_browsers').where('id', '=', id).execute();
}
