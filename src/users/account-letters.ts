import type { Context } from '../context.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import type { Compose, Letters } from '../mail/letters.ts';
import type { MailRow } from '../mail/mail-store.ts';
import type { OneTimePurpose } from './one-time-token-store.ts';
import { mintOneTimeToken } from './one-time-tokens.ts';
import { findUserByLogin, type UserRow } from './user-store.ts';

const readableTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The mails about accounts. Each finds its user when it is sent: an address that nobody has (any more) gets none. */
export function accountLetters(context: Context, keys: KeyRing): Letters {
  const { config, database } = context;
  const service = new URL(config.baseUrl).host;
  const addressee = (mail: MailRow): Promise<UserRow | undefined> =>
    findUserByLogin(database.db, { attribute: 'email', value: mail.recipient });

  async function linkFor(mail: MailRow, user: UserRow, purpose: OneTimePurpose, path: string) {
    const token = await mintOneTimeToken(context, keys, {
      id: mail.id,
      purpose,
      userId: user.id,
      email: mail.recipient,
    });
    return { service, link: `${config.baseUrl}${path}/${token.value}`, expires: readableTime(token.expiresAt) };
  }

  return new Map<string, Compose>([
    [
      'confirm-email',
      async (mail) => {
        const user = await addressee(mail);
        return user && !user.email_confirmed ? linkFor(mail, user, 'confirm_email', '/email/confirm') : undefined;
      },
    ],
    [
      'reset-password',
      async (mail) => {
        const user = await addressee(mail);
        return user && linkFor(mail, user, 'reset_password', '/password/reset');
      },
    ],
    ['email-changed', async (mail) => ({ service, at: readableTime(mail.created_at) })],
    [
      'password-changed',
      async (mail) => ({ service, at: readableTime(mail.created_at), link: `${config.baseUrl}/password/forgot` }),
    ],
  ]);
}
