import type { Config } from '../../config/config.ts';
import type { Db } from '../../database/database.ts';
import { OAuthError } from '../../platform/errors.ts';
import { findUser, type UserRow } from '../accounts/user-store.ts';

export const unconfirmedEmail = 'The email address is not confirmed yet. Follow the link in the email.';

/** Whether the setting rejects this user. Users without an email address are not rejected. */
export const needsEmailConfirmation = (
  { requireEmailConfirmation }: Pick<Config, 'requireEmailConfirmation'>,
  { email, email_confirmed }: Pick<UserRow, 'email' | 'email_confirmed'>,
): boolean => requireEmailConfirmation && email !== null && !email_confirmed;

/** An unconfirmed user gets no tokens through any grant. The user's clients get none either. */
export async function requireConfirmedEmail(
  config: Pick<Config, 'requireEmailConfirmation'>,
  db: Db,
  userId: string | null,
): Promise<void> {
  if (!config.requireEmailConfirmation || userId === null) return;
  const user = await findUser(db, userId);
  if (user && needsEmailConfirmation(config, user)) throw new OAuthError('invalid_grant', unconfirmedEmail);
}
