import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { saveTimeZone } from '../accounts/time-zone-store.ts';
import { newUserChanges } from '../accounts/user.ts';
import type { Profile } from '../accounts/user-fields.ts';
import { enqueueConfirmation } from '../email/confirm-email.ts';

export interface NewUser {
  readonly id: string;
  /** Checked. */
  readonly profile: Profile;
  readonly roles: readonly string[];
  readonly confirmed: boolean;
  /** How the user was created, for the audit trail. `actorId`: the user who did so, if another. */
  readonly event: 'user.registered' | 'user.created' | 'user.invited';
  readonly actorId?: string | null;
  readonly clientId?: string | null;
  readonly source: RequestSource;
  /** False: no mail is sent. The owner can request it later. */
  readonly mails?: boolean | undefined;
  /** False: the user gets no first token. */
  readonly firstToken?: boolean | undefined;
}

/** Completes a new user: the first token, the confirmation mail and the audit event. */
export async function finishUserCreation(
  context: Context,
  { issueFirstToken, mail }: AccountServices,
  tx: Tx,
  { id, profile, roles, confirmed, event, actorId, clientId, source, mails = true, firstToken = true }: NewUser,
): Promise<void> {
  if (event === 'user.registered') await saveTimeZone(tx, id, source);
  if (firstToken) await issueFirstToken(tx, id);
  if (mails) await enqueueConfirmation(mail, tx, { email: profile.email, email_confirmed: Number(confirmed) }, source);
  // Users that the service or a command creates are not counted as registrations.
  if (event === 'user.registered' || actorId) context.metrics.registrations.inc({ how: event.slice('user.'.length) });
  const data = { changes: newUserChanges({ ...profile, roles }) };
  await recordEvent(context, tx, { type: event, userId: id, actorId, clientId, source, data });
}
