import { commitAndInvalidate, type Invalidate } from '../../database/bus.ts';
import type { Tx } from '../../database/database.ts';
import { lockForRevocation } from '../../database/locks/revocation-locks.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { unprocessable } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { consumeOneTimeToken, invalidateResetLinks } from '../account-mails/one-time-token-store.ts';
import { invalidLink, peekOneTimeToken } from '../account-mails/one-time-tokens.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { withdrawPendingChange } from '../accounts/email-change-store.ts';
import { deleteNonFactorPasskeys, deleteRowsOf } from '../accounts/forget-user-store.ts';
import { checkNewPassword } from '../accounts/user-fields.ts';
import { findUser, updateUser } from '../accounts/user-store.ts';
import { liftLockout } from '../throttle/throttle-store.ts';

/** Sets a password with the link from a mail, and ends all access that the old password gave. */
export async function resetPassword(
  services: AccountServices,
  token: string,
  password: unknown,
  source: RequestSource,
) {
  const { context, keys, mail, passwords } = services;
  const { config, database, now } = context;
  // Checked first: an invalid link costs no hashing, and an invalid password does not use up the link.
  const row = await peekOneTimeToken(context, keys, 'reset_password', token);
  const owner = row && (await findUser(database.db, row.user_id));
  if (!row || !owner || owner.disabled || owner.email !== row.email) throw invalidLink();
  const problem = await checkNewPassword(password, owner);
  if (problem) throw unprocessable([problem]);
  const passwordHash = await passwords.hash(password as string, source.address);
  return commitAndInvalidate(database, async (tx, invalidate) => {
    await lockForRevocation(tx, [owner.id]);
    const used = await consumeOneTimeToken(tx, row.id, 'reset_password', now());
    const changed =
      used &&
      (await updateUser(tx, used.user_id, {
        password_hash: passwordHash,
        // The user who opened the link has access to this mailbox.
        email_confirmed: 1,
        updated_at: now(),
      }));
    if (!changed || changed.disabled || changed.email !== used.email) throw invalidLink();
    // Another person who registered this address earlier may have added ways to sign in.
    if (owner.email_confirmed === 0) {
      await deleteRowsOf(tx, changed.id, 'identities');
      await deleteNonFactorPasskeys(tx, changed.id, config);
    }
    await revokeAccess(services, tx, invalidate, { userId: changed.id, now: now(), cause: 'password_reset' });
    await mail.enqueue(tx, { template: 'password-changed', recipient: used.email, language: source.language });
    await recordEvent(context, tx, { type: 'password.reset', userId: changed.id, source });
    return changed;
  });
}

/** After a reset: ends sessions, tokens, client secrets and keys, links, email changes and remembered browsers. Factors stay. */
export async function revokeAccess(
  { endSessions, endClients }: Pick<AccountServices, 'endSessions' | 'endClients'>,
  tx: Tx,
  invalidate: Invalidate,
  { userId, now, cause }: { userId: string; now: number; cause: string },
): Promise<void> {
  await endSessions(tx, invalidate, { userId }, cause);
  await endClients(tx, invalidate, { userId, keepSecrets: false, cause });
  await invalidateResetLinks(tx, userId, now);
  await withdrawPendingChange(tx, userId, now);
  await deleteRowsOf(tx, userId, 'remembered_browsers');
  await liftLockout(tx, userId);
}
