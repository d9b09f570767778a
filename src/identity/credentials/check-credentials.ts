import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { OAuthError, tooManyRequests } from '../../platform/errors.ts';
import { createKeyedSemaphore } from '../../platform/keyed-semaphore.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { readLogin } from '../accounts/identifiers.ts';
import { isInRealm } from '../accounts/user.ts';
import { findUserByLogin, lockUserWithHash, replacePasswordHash, type UserRow } from '../accounts/user-store.ts';
import type { Passwords } from '../passwords/passwords.ts';
import { type Attempt, beginAttempt, type ExceededLimit, type Limit, networkLimits } from '../throttle/throttle.ts';
import { accountKey, identifierKey } from '../throttle/throttle-store.ts';
import { knownBrowserOf } from './known-browsers.ts';
import { needsEmailConfirmation, unconfirmedEmail } from './require-confirmed-email.ts';

export interface Credentials {
  /** Any enabled identifier. */
  readonly login: string;
  readonly password: string;
  readonly source: RequestSource;
  /** The client that the user signs in through, for the audit trail. */
  readonly clientId?: string | undefined;
  /** The realm of that client: users of other realms are unknown to it. Null: all users are known. */
  readonly realm?: string | null | undefined;
}

/** Concurrent attempts count as failures, even with the correct password. So this is well below `maxFailures`. */
const perAccount = createKeyedSemaphore({ concurrency: 2, maxWaiting: 200 });
const perAddress = createKeyedSemaphore({ concurrency: 32, maxWaiting: 1000 });

export const maxFailures = { account: 10, browser: 10, address: 100 };

/** Finds the user. All failures get the same response at the same cost. Only a correct password reveals an unconfirmed email. */
export async function checkCredentials(
  context: Context,
  { passwords, keys }: Pick<AccountServices, 'passwords' | 'keys'>,
  credentials: Credentials,
): Promise<UserRow> {
  const { config, database } = context;
  const { login, source } = credentials;
  const identifier = readLogin(login, config.loginAttributes);
  const existing = identifier && (await findUserByLogin(database.db, identifier));
  const user = existing && isInRealm(existing, credentials.realm) ? existing : undefined;
  const check = { context, passwords, credentials, user };
  const browser = user && knownBrowserOf(keys, source, user.id);
  if (user && browser !== undefined) {
    const checked = await checkFromKnownBrowser(check, `login:browser:${user.id}:${browser}`);
    if (checked) return checked;
  }
  // Use the stored form if there is one: an address has many spellings.
  const storedLogin = identifier && user?.[identifier.attribute];
  return checkFromUnknownBrowser(check, storedLogin ?? identifier?.value ?? login);
}

interface Check {
  readonly context: Context;
  readonly passwords: Passwords;
  readonly credentials: Credentials;
  readonly user: UserRow | undefined;
}

/** A known browser has its own count, so that other people's guesses cannot lock it out. Its own failures can. */
function checkFromKnownBrowser(check: Check, key: string): Promise<UserRow | undefined> {
  return perAccount(key, async () => {
    const attempt = await beginAttempt(check.context, [
      { key, max: maxFailures.browser, of: 'browser', resetOnSuccess: true },
    ]);
    return attempt.exceededLimits.length > 0 ? undefined : checkPassword(check, attempt);
  });
}

/** Counts failures for the identifier and for the account. Responses show only the first, so that they do not link identifiers. */
function checkFromUnknownBrowser(check: Check, identifier: string): Promise<UserRow> {
  const { context, credentials, user } = check;
  const networks = networkLimits('login', credentials.source.address, maxFailures.address);
  const identifierLimit = {
    key: identifierKey(identifier),
    max: maxFailures.account,
    of: 'account',
    resetOnSuccess: true,
  };
  const accountLimits: Limit[] = user ? [{ ...identifierLimit, key: accountKey(user.id), of: hiddenAccountLimit }] : [];
  return perAddress(networks[0].key, () =>
    perAccount(accountLimits[0]?.key ?? identifierLimit.key, async () => {
      const attempt = await beginAttempt(context, [identifierLimit, ...accountLimits, ...networks]);
      if (attempt.exceededLimits.length > 0) await refuse(check, attempt);
      return checkPassword(check, attempt);
    }),
  );
}

const hiddenAccountLimit = 'account by another identifier';

async function refuse(check: Check, attempt: Attempt): Promise<never> {
  const { context, passwords, credentials, user } = check;
  context.metrics.logins.inc({ result: 'throttled' });
  await recordExceededLimits(check, attempt.exceededLimits);
  const visible = attempt.exceededLimits.filter(({ of }) => of !== hiddenAccountLimit);
  if (visible.length > 0) {
    await attempt.release();
    const seconds = Math.max(...visible.map(({ retryAfterSeconds }) => retryAfterSeconds));
    throw tooManyRequests('Too many failed sign-ins. Wait before you try again.', seconds);
  }
  // Verified, but the result is ignored: the refusal must take as long as a wrong password and look the same.
  const verification = passwords.verify(credentials.password, user?.password_hash ?? '', credentials.source.address);
  await verification.catch(releaseAndRethrow(attempt));
  await attempt.count();
  throw wrongCredentials('the account is locked');
}

/** Recorded once per window, so that many guesses do not fill the audit trail. */
async function recordExceededLimits({ context, credentials, user }: Check, exceededLimits: readonly ExceededLimit[]) {
  const { clientId, source } = credentials;
  const [first] = exceededLimits.filter((exceeded) => exceeded.first);
  if (!first) return;
  const data = { limit: first.of };
  await recordEvent(context, context.database.db, {
    type: 'login.throttled',
    userId: user?.id,
    clientId,
    source,
    data,
  });
}

const releaseAndRethrow = (attempt: Attempt) => async (error: unknown) => {
  await attempt.release();
  throw error;
};

const wrongCredentials = (reason: string) =>
  new OAuthError('invalid_grant', 'The user name or the password is wrong.', { reason });

async function checkPassword({ context, passwords, credentials, user }: Check, attempt: Attempt): Promise<UserRow> {
  const { database, metrics } = context;
  const { password, source, clientId } = credentials;
  // Verify even for unknown users: timing must not reveal whether a user exists.
  const verification = user
    ? passwords.verify(password, user.password_hash, source.address)
    : passwords.verifyForUnknownUser(password, source.address);
  const isCorrect = await verification.catch(releaseAndRethrow(attempt));
  // A disabled user takes the same time and gets the same error as a wrong password.
  if (!user || !isCorrect || user.disabled) {
    const reason = user ? (isCorrect ? 'disabled user' : 'wrong password') : 'unknown user';
    await attempt.count();
    metrics.logins.inc({ result: 'refused' });
    const data = isCorrect ? { reason } : {};
    await recordEvent(context, database.db, { type: 'login.failed', userId: user?.id, clientId, source, data });
    throw wrongCredentials(reason);
  }
  await attempt.succeed();
  requireConfirmed(context, user);
  const currentUser = passwords.needsRehash(user.password_hash)
    ? await renewHash(context, passwords, user, credentials)
    : user;
  metrics.logins.inc({ result: 'accepted' });
  return currentUser;
}

/** Call it only after the caller has authenticated as this user. */
export function requireConfirmed({ config, metrics }: Context, user: UserRow): void {
  if (!needsEmailConfirmation(config, user)) return;
  metrics.logins.inc({ result: 'unconfirmed' });
  throw new OAuthError('invalid_grant', unconfirmedEmail);
}

/** Call it in the transaction that opens the session: the password or user may have changed during the check. */
export async function requireUnchanged({ database }: Context, tx: Tx, user: Pick<UserRow, 'id' | 'password_hash'>) {
  if (!(await lockUserWithHash(tx, database.engine, user)))
    throw wrongCredentials('password changed or user disabled meanwhile');
}

/** A failure does not fail the sign-in: the old hash still works. */
async function renewHash(
  { database, log }: Context,
  passwords: Passwords,
  user: UserRow,
  { password, source }: Credentials,
): Promise<UserRow> {
  try {
    const password_hash = await passwords.rehash(password, source.address);
    if (await replacePasswordHash(database.db, user.id, user.password_hash, password_hash)) {
      return { ...user, password_hash };
    }
  } catch (error) {
    log.warn({ err: error, user: user.id }, 'a password hash could not be renewed; the next sign-in tries again');
  }
  return user;
}
