import { randomBytes } from 'node:crypto';
import { commitAndInvalidate } from '../../database/bus.ts';
import { changeAs } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { conflict, notFound, unprocessable } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { consumeOneTimeToken } from '../account-mails/one-time-token-store.ts';
import { invalidLink, readOneTimeToken } from '../account-mails/one-time-tokens.ts';
import { countMail, requestMail, tooManyMails } from '../account-mails/request-mail.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import {
  closeEmailChanges,
  confirmPendingChange,
  type EmailChangeRow,
  findEmailChange,
  findPendingChange,
  insertEmailChange,
  isReservedForAnother,
  withdrawPendingChange,
} from '../accounts/email-change-store.ts';
import { takenField } from '../accounts/user-fields.ts';
import {
  findTakenFields,
  findUser,
  lockUser,
  markEmailConfirmed,
  replaceEmail,
  type UserRow,
  updateUser,
} from '../accounts/user-store.ts';
import { revokeAccess } from '../credentials/reset-password.ts';
import type { Mail } from '../mail/mail.ts';

/** Counted from the request, and again from the confirmation. */
const undoPeriodMs = 7 * 24 * 60 * 60_000;

/** Called before the transaction: a change is possible only if its mails may be sent. */
export async function countChangeMails(
  context: Context,
  { from, to }: { from: string | null; to: string | null },
  source: RequestSource,
): Promise<void> {
  for (const [template, email] of [
    ['confirm-new-email', to],
    ['email-change-requested', from],
  ] as const) {
    if (email !== null) await countMail(context, template, email, source);
  }
}

interface NewEmailChange {
  readonly userId: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly now: number;
  readonly source: RequestSource;
}

/** Takes effect when the new address is confirmed. The old address is notified and can undo the change, in case of theft. */
export async function beginEmailChange(
  mail: Mail,
  tx: Tx,
  { userId, from, to, now, source: { language } }: NewEmailChange,
): Promise<void> {
  if (to !== null) await rejectTakenEmail(tx, to, userId, now);
  await withdrawPendingChange(tx, userId, now);
  const id = uuidv7(now);
  await insertEmailChange(tx, {
    id,
    user_id: userId,
    old_email: from,
    new_email: to,
    created_at: now,
    confirmed_at: to === null ? now : null,
    withdrawn_at: null,
    undone_at: null,
    undo_until: now + undoPeriodMs,
  });
  const data = { change: id };
  if (to !== null) await mail.enqueue(tx, { template: 'confirm-new-email', recipient: to, data, language });
  if (from === null) return;
  const template = to === null ? 'email-changed' : 'email-change-requested';
  await mail.enqueue(tx, { template, recipient: from, data, language });
}

/** 422 if another user has the address, or had it before a change that can still be undone. */
export async function rejectTakenEmail(db: Db | Tx, email: string, userId: string, now: number): Promise<void> {
  const isTaken = (await findTakenFields(db, { email }, userId)).length > 0;
  if (isTaken || (await isReservedForAnother(db, email, userId, now))) throw unprocessable([takenField('email')]);
}

/** Applies a change after its link was followed. If two users wait for one address, the first gets it. */
async function applyEmailChange(
  { context, mail }: Pick<AccountServices, 'context' | 'mail'>,
  tx: Tx,
  { userId, email, source }: { userId: string; email: string; source: RequestSource },
) {
  const at = context.now();
  const before = await lockUser(tx, userId);
  if (!before || before.disabled) return undefined;
  const change = await confirmPendingChange(tx, { userId, newEmail: email, now: at, undoUntil: at + undoPeriodMs });
  if (!change) return undefined;
  const user = await replaceEmail(tx, userId, email, at);
  if (!user || (await isReservedForAnother(tx, email, userId, at))) {
    throw conflict('Another user has taken this email address in the meantime.', 'email_taken');
  }
  if (change.old_email !== null) {
    const notice = { template: 'email-changed', recipient: change.old_email, data: { change: change.id } };
    await mail.enqueue(tx, { ...notice, language: source.language });
  }
  const data = { changes: { email: { from: before.email, to: email } } };
  await recordEvent(context, tx, { type: 'email.changed', userId, source, data });
  return user;
}

/** Restores the old address, removes the password and ends all access that it gave. */
export async function undoEmailChange(services: AccountServices, token: string, source: RequestSource): Promise<void> {
  const { context } = services;
  const { database, now } = context;
  const id = readOneTimeToken(services.keys, 'undo_email', token);
  const storedChange = id === undefined ? undefined : await findEmailChange(database.db, id);
  const { id: changeId, user_id: userId, old_email: email } = undoable(storedChange, now());
  const unknownPasswordHash = await services.passwords.hash(randomBytes(24).toString('base64url'), source.address);
  await commitAndInvalidate(database, async (tx, invalidate) => {
    // The user is always locked before the email changes.
    const user = await lockUser(tx, userId);
    const change = await findEmailChange(tx, changeId);
    const at = now();
    undoable(change, at);
    if (!user || !change || user.disabled) throw invalidLink();
    if (!(await replaceEmail(tx, user.id, email, at))) {
      throw conflict(
        'Another user has taken this email address in the meantime. Ask the people who run the service.',
        'email_taken',
      );
    }
    await updateUser(tx, user.id, { password_hash: unknownPasswordHash, updated_at: at });
    await closeEmailChanges(tx, user.id, change.created_at, at);
    await revokeAccess(services, tx, invalidate, { userId: user.id, now: at, cause: 'email_change_undone' });
    await services.mail.enqueue(tx, { template: 'reset-password', recipient: email, language: source.language });
    const data = { changes: { email: { from: user.email, to: email } } };
    await recordEvent(context, tx, { type: 'email.change_undone', userId: user.id, source, data });
  });
}

function undoable(change: EmailChangeRow | undefined, now: number): EmailChangeRow & { old_email: string } {
  if (!change || change.undone_at !== null || change.undo_until <= now || change.old_email === null) {
    throw invalidLink();
  }
  return { ...change, old_email: change.old_email };
}

/** Sends a confirmation mail if the address is not confirmed. */
export async function enqueueConfirmation(
  mail: Mail,
  tx: Tx,
  { email, email_confirmed }: Pick<UserRow, 'email' | 'email_confirmed'>,
  { language }: RequestSource,
): Promise<void> {
  if (email === null || email_confirmed) return;
  await mail.enqueue(tx, { template: 'confirm-email', recipient: email, language });
}

/** Sends the mail again to the caller's address, or to the pending new address. */
export async function requestOwnConfirmation(services: AccountServices, caller: Caller, source: RequestSource) {
  const { context, mail, lockAuthority } = services;
  const user =
    caller.kind !== 'user' || caller.userId === null ? undefined : await findUser(context.database.db, caller.userId);
  if (!user) throw notFound('This token does not belong to a user.');
  const pending = await findPendingChange(context.database.db, user.id, context.now());
  const message = pending?.new_email
    ? { template: 'confirm-new-email', recipient: pending.new_email, data: { change: pending.id } }
    : { template: 'confirm-email', recipient: unconfirmedEmailOf(user) };
  await countMail(context, message.template, message.recipient, source);
  await changeAs(context.database, lockAuthority, { caller }, (tx) =>
    mail.enqueue(tx, { ...message, language: source.language }),
  );
}

function unconfirmedEmailOf({ email, email_confirmed }: UserRow): string {
  if (email === null) throw conflict('This user has no email address to confirm.', 'email_missing');
  if (email_confirmed) throw conflict('The email address is already confirmed.', 'email_confirmed');
  return email;
}

/** Sends the mail again to the user with this address. The response does not reveal whether the user exists. */
export async function requestConfirmation(services: AccountServices, email: string, source: RequestSource) {
  const exceeded = await requestMail(services, 'confirm-email', email, source);
  // The limit of a mailbox is not reported: only its owner should know.
  if (exceeded?.of === 'address') throw tooManyMails(exceeded);
}

/** Uses up the link, and applies the email change that waited for it. Called only for POST: mail scanners follow links by GET. */
export async function confirmEmail(services: AccountServices, token: string, source: RequestSource): Promise<UserRow> {
  const { context, keys } = services;
  const { database, now } = context;
  const id = readOneTimeToken(keys, 'confirm_email', token);
  if (id === undefined) throw invalidLink();
  return database.db.transaction().execute(async (tx) => {
    const used = await consumeOneTimeToken(tx, id, 'confirm_email', now());
    if (!used) throw invalidLink();
    const { user_id: userId, email } = used;
    const user =
      (await markEmailConfirmed(tx, userId, email, now())) ??
      (await applyEmailChange(services, tx, { userId, email, source }));
    if (!user) throw invalidLink();
    await recordEvent(context, tx, { type: 'email.confirmed', userId, source });
    return user;
  });
}
