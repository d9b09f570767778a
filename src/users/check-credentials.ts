import type { Context } from '../context.ts';
import type { Tx } from '../database/database.ts';
import { OAuthError, tooManyRequests } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Origin } from '../http/origin.ts';
import { fingerprintOfLogin, readLogin } from './identifiers.ts';
import type { Passwords } from './passwords.ts';
import { countAttempt, forgiveAttempt, giveBackAttempt, type ThrottleKeys, throttleKeys } from './throttle.ts';
import { Turnstile } from './turnstile.ts';
import { findUserByLogin, holdsHash, replacePasswordHash, type UserRow } from './user-store.ts';

export interface Credentials {
  /** Any enabled identifier. */
  readonly login: string;
  readonly password: string;
  readonly origin: Origin;
  /** The client that the user signs in through, for the audit trail. */
  readonly clientId?: string | undefined;
}

/** Told only to who knows the password; the login page offers to send the link again. */
export const unconfirmedEmail = 'The email address is not confirmed yet. Follow the link in the mail.';

/** Well under the limits, so that several instances together do not pass them with right passwords either. */
const perAccount = new Turnstile(2, 200);
const perAddress = new Turnstile(32, 1000);

/**
 * The user whose credentials these are. An unknown user, a wrong password and a disabled identifier get one answer at
 * one cost; only a right password learns that the email is yet to be confirmed.
 */
export async function checkCredentials(
  context: Context,
  passwords: Passwords,
  credentials: Credentials,
): Promise<UserRow> {
  const { config, database } = context;
  const identifier = readLogin(credentials.login, config.loginAttributes);
  const user = identifier && (await findUserByLogin(database.db, identifier));
  const account = user?.id ?? fingerprintOfLogin(identifier?.value ?? credentials.login);
  const keys = throttleKeys('login', account, credentials.origin.address);
  return perAddress.pass(keys.address, () =>
    perAccount.pass(keys.account, () => checkPassword(context, passwords, credentials, user, keys)),
  );
}

const wrongCredentials = (reason: string) =>
  new OAuthError('invalid_grant', 'The user name or the password is wrong.', { reason });

async function checkPassword(
  context: Context,
  passwords: Passwords,
  { password, origin, clientId }: Credentials,
  user: UserRow | undefined,
  keys: ThrottleKeys,
): Promise<UserRow> {
  const { config, database, metrics } = context;
  const refusal = await countAttempt(context, keys);
  if (refusal) {
    metrics.logins.inc({ result: 'throttled' });
    // Once a window: a flood of guesses must not flood the trail.
    if (refusal.first) {
      const data = { limit: refusal.of };
      await recordEvent(context, database.db, { type: 'login.throttled', userId: user?.id, clientId, origin, data });
    }
    throw tooManyRequests('Too many failed sign-ins. Wait before you try again.', refusal.retryAfterSeconds);
  }
  // Verify even for unknown users: timing must not reveal who exists.
  const looked = user ? passwords.verify(password, user.password_hash) : passwords.verifyNothing(password);
  const right = await looked.catch(async (error: unknown) => {
    await giveBackAttempt(context, keys);
    throw error;
  });
  if (!user || !right) {
    metrics.logins.inc({ result: 'refused' });
    await recordEvent(context, database.db, { type: 'login.failed', userId: user?.id, clientId, origin });
    throw wrongCredentials(user ? 'wrong password' : 'unknown user');
  }
  await forgiveAttempt(context, keys);
  if (config.requireEmailConfirmation && !user.email_confirmed) {
    metrics.logins.inc({ result: 'unconfirmed' });
    throw new OAuthError('invalid_grant', unconfirmedEmail);
  }
  const current = passwords.needsRehash(user.password_hash)
    ? await renewHash(context, passwords, user, password)
    : user;
  metrics.logins.inc({ result: 'accepted' });
  return current;
}

/**
 * To be asked in the transaction that opens the session: a password that was changed while it was being looked at opens
 * none, for the change could not have ended it.
 */
export async function requireUnchanged(
  { database }: Context,
  tx: Tx,
  user: Pick<UserRow, 'id' | 'password_hash'>,
): Promise<void> {
  if (!(await holdsHash(tx, database.engine, user))) throw wrongCredentials('password changed meanwhile');
}

/** Not worth a failed sign-in: while there is no time for it, the old hash goes on working. */
async function renewHash(context: Context, passwords: Passwords, user: UserRow, password: string): Promise<UserRow> {
  const { database, log } = context;
  try {
    const password_hash = await passwords.hash(password);
    if (await replacePasswordHash(database.db, user.id, user.password_hash, password_hash)) {
      return { ...user, password_hash };
    }
  } catch (error) {
    log.warn({ err: error, user: user.id }, 'a password hash could not be renewed; the next sign-in tries again');
  }
  return user;
}
