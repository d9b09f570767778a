import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { conflict, unprocessable } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { countMail, tooManyMails } from '../account-mails/request-mail.ts';
import {
  confirmPendingChange,
  insertEmailChange,
  isKeptForAnother,
  withdrawPendingChange,
} from '../accounts/email-change-store.ts';
import { takenField } from '../accounts/user-fields.ts';
import { findTakenFields, lockUser, replaceEmail, type UserRow } from '../accounts/user-store.ts';
import type { Mail } from '../mail/mail.ts';

/** From the request, and again from the moment at which it takes effect. */
const undoMs = 7 * 24 * 60 * 60_000;

/** Before the transaction: a change is possible only where the mails that belong to it may be sent. */
export async function countMailsOfChange(
  context: Context,
  { from, to }: { from: string | null; to: string | null },
  source: RequestSource,
): Promise<void> {
  for (const [template, email] of [
    ['confirm-new-email', to],
    ['email-change-requested', from],
  ] as const) {
    const refusal = email === null ? undefined : await countMail(context, template, email, source);
    if (refusal) throw tooManyMails(refusal);
  }
}

interface NewEmailChange {
  readonly userId: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly now: number;
  readonly source: RequestSource;
}

/**
 * A user's own change of email. It takes effect when the new address is confirmed; to be without one, at once. The old
 * address is told, and can undo it: whoever asks may have stolen the password too.
 */
export async function beginEmailChange(
  mail: Mail,
  tx: Tx,
  { userId, from, to, now, source: { language } }: NewEmailChange,
): Promise<void> {
  if (to !== null) await refuseTakenEmail(tx, to, userId, now);
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
    undo_until: now + undoMs,
  });
  const data = { change: id };
  if (to !== null) await mail.enqueue(tx, { template: 'confirm-new-email', recipient: to, data, language });
  if (from === null) return;
  const template = to === null ? 'email-changed' : 'email-change-requested';
  await mail.enqueue(tx, { template, recipient: from, data, language });
}

/** 422 where another user has the address, or had it until a change that can still be undone. */
export async function refuseTakenEmail(db: Db | Tx, email: string, userId: string, now: number): Promise<void> {
  const taken = (await findTakenFields(db, { email }, userId)).length > 0;
  if (taken || (await isKeptForAnother(db, email, userId, now))) throw unprocessable([takenField('email')]);
}

/** The link to the new address was followed: of two who wait for one address, the first has it. */
export async function applyEmailChange(
  context: Context,
  mail: Mail,
  tx: Tx,
  { userId, email, source }: { userId: string; email: string; source: RequestSource },
): Promise<UserRow | undefined> {
  const { database, now } = context;
  const at = now();
  const before = await lockUser(tx, database.engine, userId);
  if (!before || before.disabled) return undefined;
  const change = await confirmPendingChange(tx, { userId, newEmail: email, now: at, undoUntil: at + undoMs });
  if (!change) return undefined;
  const user = await replaceEmail(tx, userId, email, at);
  if (!user || (await isKeptForAnother(tx, email, userId, at))) {
    throw conflict('Another user has this email address by now.', 'email_taken');
  }
  if (change.old_email !== null) {
    const notice = { template: 'email-changed', recipient: change.old_email, data: { change: change.id } };
    await mail.enqueue(tx, { ...notice, language: source.language });
  }
  const data = { changes: { email: { from: before.email, to: email } } };
  await recordEvent(context, tx, { type: 'email.changed', userId, source, data });
  return user;
}
