import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { countMail, tooManyMails } from '../account-mails/request-mail.ts';
import { findUserByLogin, type UserRow } from '../accounts/user-store.ts';
import type { Mail } from '../mail/mail.ts';

const purpose = 'email code';
export const emailCodeLifeMs = 10 * 60_000;
const mostAttempts = 5;

const codeIn = (mac: string): string =>
  String(Buffer.from(mac, 'base64url').readUIntBE(0, 6) % 1_000_000).padStart(6, '0');

/** Six digits that follow from the id: the mail can be tried again, and nothing usable lies in the database. */
export const emailCodeOf = (keys: KeyRing, id: string): string => codeIn(keys.mac(purpose, id));

interface EmailCodeMeans {
  readonly context: Context;
  readonly keys: KeyRing;
  readonly mail: Mail;
}

/**
 * Sends a code to this address, where a user has it. The id that is returned is bound to whoever asked: without it the code
 * is worth nothing. Neither the answer nor its time tells whether there is a user.
 */
export async function sendEmailCode(
  { context, mail }: Omit<EmailCodeMeans, 'keys'>,
  email: string,
  source: RequestSource,
): Promise<{ id: string; expiresAt: number }> {
  const { database, now } = context;
  const refusal = await countMail(context, 'email-code', email, source);
  if (refusal) throw tooManyMails(refusal);
  const at = now();
  const code = { id: uuidv7(at), email, created_at: at, expires_at: at + emailCodeLifeMs };
  await database.db.transaction().execute(async (tx) => {
    await tx.insertInto('email_codes').values(code).execute();
    const data = { code: code.id };
    await mail.enqueue(tx, { template: 'email-code', recipient: email, language: source.language, data });
  });
  return { id: code.id, expiresAt: code.expires_at };
}

/** Who may sign in by a code that was sent there: somebody who has shown before that the address is theirs. */
export async function ownerOfEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const user = await findUserByLogin(db, { attribute: 'email', value: email });
  return user && !user.disabled && user.email_confirmed === 1 ? user : undefined;
}

export interface EmailCode {
  readonly user: UserRow;
  /** Makes it count, once. */
  use(tx: Tx): Promise<boolean>;
}

/** The code as it came back. Each look is an attempt, whether right or wrong: the fifth is the last. */
export async function readEmailCode(
  { context, keys }: Omit<EmailCodeMeans, 'mail'>,
  id: string,
  code: string,
): Promise<EmailCode | undefined> {
  const { database, now } = context;
  const found = await database.db
    .updateTable('email_codes')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('attempts', '<', mostAttempts)
    .where('expires_at', '>', now())
    .returning('email')
    .executeTakeFirst();
  if (!found || !/^\d{6}$/.test(code)) return undefined;
  const given = Buffer.from(code);
  const right = keys.macs(purpose, id).some((mac) => timingSafeEqual(Buffer.from(codeIn(mac)), given));
  const user = await ownerOfEmail(database.db, found.email);
  if (!right || !user) return undefined;
  const use = async (tx: Tx) =>
    (await tx.deleteFrom('email_codes').where('id', '=', id).executeTakeFirstOrThrow()).numDeletedRows > 0n;
  return { user, use };
}

export async function pruneEmailCodes(db: Db, now: number): Promise<void> {
  await db.deleteFrom('email_codes').where('expires_at', '<=', now).execute();
}
