import { randomBytes } from 'node:crypto';
import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { conflict } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { linkNotValid, readOneTimeToken } from '../account-mails/one-time-tokens.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { closeEmailChanges, type EmailChangeRow, findEmailChange } from '../accounts/email-change-store.ts';
import { lockUser, replaceEmail, updateUser } from '../accounts/user-store.ts';
import { revokeAccess } from '../credentials/revoke-access.ts';

/**
 * The link in the notice to the old address: "it was not me". Whoever asked for the change knew the password, so that one
 * ends too, with all that it opened; a mail to the restored address leads to a new one.
 */
export async function undoEmailChange(
  context: Context,
  services: AccountServices,
  token: string,
  source: RequestSource,
): Promise<void> {
  const { database, now } = context;
  const id = readOneTimeToken(services.keys, 'undo_email', token);
  const found = id === undefined ? undefined : await findEmailChange(database.db, id);
  const email = undoable(found, now());
  const nobodyKnows = await services.passwords.hash(randomBytes(24).toString('base64url'), source.address);
  await commitAndInvalidate(database, async (tx, invalidate) => {
    // Always locks the user first, like every write of the user's email changes.
    const user = await lockUser(tx, database.engine, (found as EmailChangeRow).user_id);
    const change = await findEmailChange(tx, id as string);
    const at = now();
    undoable(change, at);
    if (!user || !change || user.disabled) throw linkNotValid();
    if (!(await replaceEmail(tx, user.id, email, at))) {
      throw conflict('Another user has this email address by now. Ask the people who run the service.', 'email_taken');
    }
    await updateUser(tx, user.id, { password_hash: nobodyKnows, updated_at: at });
    await closeEmailChanges(tx, user.id, change.created_at, at);
    await revokeAccess(services, tx, invalidate, { userId: user.id, now: at, cause: 'email_change_undone' });
    await services.mail.enqueue(tx, { template: 'reset-password', recipient: email, language: source.language });
    const data = { changes: { email: { from: user.email, to: email } } };
    await recordEvent(context, tx, { type: 'email.change_undone', userId: user.id, source, data });
  });
}

/** The address to go back to. */
function undoable(change: EmailChangeRow | undefined, now: number): string {
  if (!change || change.undone_at !== null || change.undo_until <= now || change.old_email === null) {
    throw linkNotValid();
  }
  return change.old_email;
}
