import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { Problem } from '../../platform/errors.ts';
import { findInviterId } from '../../resources/audit/event-store.ts';
import { findEmailChange, findPendingChange } from '../accounts/email-change-store.ts';
import { findUser, rolesOf } from '../accounts/user-store.ts';
import {
  findUsableOneTimeToken,
  type OneTimePurpose,
  type OneTimeTokenRow,
  upsertOneTimeToken,
} from './one-time-token-store.ts';

type LinkContext = Pick<Context, 'database' | 'now'>;
type Macs = Pick<KeyRing, 'macKeys'>;

/** Long enough to find the mail. A reset link expires earlier, because it is worth more to a thief. */
const lifetimesMs: Readonly<Record<OneTimePurpose, number>> = {
  confirm_email: 3 * 24 * 60 * 60_000,
  reset_password: 60 * 60_000,
};

const macPurpose = 'one-time-token';

/** A link that undoes an email change is stored with the change. */
type LinkPurpose = OneTimePurpose | 'undo_email';

/** `<id>.<MAC>`: the stored id is useless without the server's key. */
export const signLink = (keys: KeyRing, purpose: LinkPurpose, id: string): string =>
  `${id}.${keys.macKeys.mac(macPurpose, `${purpose}:${id}`)}`;

export interface LinkLifetime {
  readonly lifetimeMs?: number;
  readonly notAfter?: number;
}

/** Stores a link with its expiry and returns its value. */
export async function createOneTimeToken(
  { database, now }: Context,
  keys: KeyRing,
  token: Pick<OneTimeTokenRow, 'id' | 'purpose' | 'user_id' | 'email'>,
  { lifetimeMs = lifetimesMs[token.purpose], notAfter = Number.POSITIVE_INFINITY }: LinkLifetime = {},
): Promise<{ value: string; expiresAt: number }> {
  const at = now();
  const expiresAt = Math.min(at + lifetimeMs, notAfter);
  await upsertOneTimeToken(database.db, { ...token, created_at: at, expires_at: expiresAt, used_at: null });
  return { value: signLink(keys, token.purpose, token.id), expiresAt };
}

const tokenPattern = /^([0-9a-f-]{36})\.([\w-]{43})$/;

/** The id in a value that this service made for this purpose. A forged value costs no query. */
export function readOneTimeToken(keys: Macs, purpose: LinkPurpose, value: string) {
  const [, id = '', mac = ''] = tokenPattern.exec(value) ?? [];
  return id && mac && keys.macKeys.matches(macPurpose, `${purpose}:${id}`, mac) ? id : undefined;
}

/** Reads a link without using it up, for the page behind the link: mail scanners open this page too. */
export async function peekOneTimeToken(
  { database, now }: LinkContext,
  keys: Macs,
  purpose: OneTimePurpose,
  value: string,
): Promise<OneTimeTokenRow | undefined> {
  const id = readOneTimeToken(keys, purpose, value);
  return id === undefined ? undefined : findUsableOneTimeToken(database.db, id, purpose, now());
}

export const invalidLink = (): Problem =>
  new Problem(404, 'Not Found', 'This link is no longer valid: it was used, it expired, or a newer link replaced it.', {
    code: 'link_invalid',
  });

/** Whether a mailed link is still valid. Does not use it up, because mail scanners open links too. */
export const isValidLink = (context: LinkContext, keys: Macs, purpose: LinkPurpose, value: string) =>
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
