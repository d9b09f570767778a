import { changeAs } from '../../database/change-as.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import type { Caller } from '../../platform/caller.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { consumeOneTimeToken, invalidLink, readOneTimeToken } from '../account-mails/one-time-token-store.ts';
import { countMail, requestMail, tooManyMails } from '../account-mails/request-mail.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { findPendingChange } from '../accounts/email-change-store.ts';
import { findUser, markEmailConfirmed, type UserRow } from '../accounts/user-store.ts';
import type { Mail } from '../mail/mail.ts';
import { applyEmailChange } from './change-email.ts';

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
