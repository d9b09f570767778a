import type { Db } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { findUserByLogin, type UserRow } from '../accounts/user-store.ts';

const purpose = 'email code';
export const emailCodeLifeMs = 10 * 60_000;

const codeIn = (mac: string): string =>
  String(Buffer.from(mac, 'base64url').readUIntBE(0, 6) % 1_000_000).padStart(6, '0');

/** Six digits that follow from the id: the mail can be tried again, and nothing usable lies in the database. */
export const emailCodeOf = (keys: KeyRing, id: string): string => codeIn(keys.macKeys.mac(purpose, id));

/** What each key that counts makes of the id. */
export const emailCodesOf = (keys: KeyRing, id: string): string[] => keys.macKeys.macs(purpose, id).map(codeIn);

/** Who may sign in by a code that was sent there: somebody who has shown before that the address is theirs. */
export async function ownerOfEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const user = await findUserByLogin(db, { attribute: 'email', value: email });
  return user && !user.disabled && user.email_confirmed === 1 ? user : undefined;
}
