import type { Db } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { findUserByLogin, type UserRow } from '../accounts/user-store.ts';

const purpose = 'email code';
export const emailCodeLifetimeMs = 10 * 60_000;

const codeIn = (mac: string): string =>
  String(Buffer.from(mac, 'base64url').readUIntBE(0, 6) % 1_000_000).padStart(6, '0');

/** Six digits derived from the id. So the mail can be retried, and the database contains no usable code. */
export const emailCodeOf = (keys: KeyRing, id: string): string => codeIn(keys.macKeys.mac(purpose, id));

/** The codes of an id, one per valid key. */
export const emailCodesOf = (keys: KeyRing, id: string): string[] => keys.macKeys.macs(purpose, id).map(codeIn);

/** The user who may sign in with a code to this address: the address must be confirmed. */
export async function ownerOfEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const user = await findUserByLogin(db, { attribute: 'email', value: email });
  return user && !user.disabled && user.email_confirmed === 1 ? user : undefined;
}
