import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { findInviterId } from '../../resources/audit/event-store.ts';
import { findEmailChange, findPendingChange } from '../accounts/email-change-store.ts';
import { findUser, rolesOf } from '../accounts/user-store.ts';
import type { OneTimePurpose } from './one-time-token-store.ts';
import { peekOneTimeToken, readOneTimeToken } from './one-time-tokens.ts';

type LinkContext = Pick<Context, 'database' | 'now'>;
type Macs = Pick<KeyRing, 'macKeys'>;

/** Whether a mailed link is still valid. Does not use it up, because mail scanners open links too. */
export const isValidLink = (context: LinkContext, keys: Macs, purpose: OneTimePurpose | 'undo_email', value: string) =>
  purpose === 'undo_email' ? canUndo(context, keys, value) : canUse(context, keys, purpose, value);

async function canUse(context: LinkContext, keys: Macs, purpose: OneTimePurpose, value: string): Promise<boolean> {
  const token = await peekOneTimeToken(context, keys, purpose, value);
  const user = token && (await findUser(context.database.db, token.user_id));
  if (!user || user.disabled) return false;
  if (user.email === token.email) return true;
  if (purpose !== 'confirm_email') return false;
  // An email change whose new address is not confirmed yet.
  const change = await findPendingChange(context.database.db, user.id, context.now());
  return change?.new_email === token.email;
}

/** The invited user and the inviter. Undefined if the link is no longer valid. */
export async function findInvitation(context: LinkContext, keys: Macs, value: string) {
  if (!(await canUse(context, keys, 'reset_password', value))) return undefined;
  const { db } = context.database;
  const token = await peekOneTimeToken(context, keys, 'reset_password', value);
  const user = token && (await findUser(db, token.user_id));
  const inviterId = user && (await findInviterId(db, user.id));
  const inviter = inviterId === undefined ? undefined : await findUser(db, inviterId);
  return user && { name: user.name, email: user.email, roles: rolesOf(user), inviter: inviter?.name ?? inviter?.email };
}

async function canUndo({ database, now }: LinkContext, keys: Macs, value: string): Promise<boolean> {
  const id = readOneTimeToken(keys, 'undo_email', value);
  const change = id === undefined ? undefined : await findEmailChange(database.db, id);
  return change !== undefined && change.undone_at === null && change.undo_until > now() && change.old_email !== null;
}
