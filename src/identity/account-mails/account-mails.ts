import { localeOf } from '../../config/languages/format-message.ts';
import { getLanguages } from '../../config/languages/languages.ts';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { localizeUserAgent } from '../../http/user-agent.ts';
import { parseJson } from '../../platform/json-text.ts';
import { type EmailChangeRow, findEmailChange } from '../accounts/email-change-store.ts';
import { findTimeZone, findUser, findUserByLogin, type UserRow } from '../accounts/user-store.ts';
import type { Compose, Mails, QueuedMail } from '../mail/mail-templates.ts';
import { emailCodeOf, ownerOfEmail } from './email-code.ts';
import type { OneTimePurpose } from './one-time-token-store.ts';
import { createOneTimeToken, type LinkLifetime, signLink } from './one-time-tokens.ts';
import { noticePaths } from './request-mail.ts';

/** Formats a time for mail in the reader's time zone, with the name of the zone. UTC if the zone is unknown. */
function timeInWords(ms: number, timeZone = 'UTC', language = 'en'): string {
  const date = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short', timeZone }).format(
    ms,
  );
  return timeZone === 'UTC' ? `${date} UTC` : `${date} (${timeZone.replaceAll('_', ' ')})`;
}

/** Mails about accounts. The user is looked up when the mail is sent: unknown and disabled users get no mail. */
export function accountMails(context: Context, keys: KeyRing): Mails {
  const { config, database } = context;
  const service = new URL(config.baseUrl).host;
  const languages = getLanguages(config);
  const findRecipient = ({ recipient }: QueuedMail) =>
    findUserByLogin(database.db, { attribute: 'email', value: recipient });
  const toUser =
    (compose: (mail: QueuedMail, user: UserRow) => ReturnType<Compose> | undefined): Compose =>
    async (mail) => {
      const user = await findRecipient(mail);
      return user && !user.disabled ? compose(mail, user) : undefined;
    };

  /** The reader's language and time zone, if known. */
  const readerOf = async (user: UserRow | undefined, mail: QueuedMail) => {
    const zone = user === undefined ? undefined : await findTimeZone(database.db, user.id);
    const language = languages.find([user?.locale]) ?? mail.language;
    return { language, inWords: (ms: number) => timeInWords(ms, zone, language) };
  };

  /** The values of a notice to the owner of an address. */
  async function noticeValues(mail: QueuedMail, path: string) {
    const owner = await findRecipient(mail);
    const { language, inWords } = await readerOf(owner, mail);
    const { named: credentialName, ...data } = dataOf(mail);
    // Another person may have registered this address, with an advertisement as a name. So only a confirmed owner sees names.
    const visibleName =
      owner?.email_confirmed && credentialName ? credentialName.replace(/\s+/g, ' ').slice(0, 100) : null;
    const localized = Object.entries(data).map(([name, text]) => [
      name,
      text && languages.text(language, localize(text, name === 'what' ? visibleName : null)),
    ]);
    return {
      service,
      at: inWords(mail.created_at),
      language,
      ...Object.fromEntries(localized),
      named: visibleName,
      link: config.baseUrl + path,
    };
  }

  /** A mail with a link. It goes to the stored spelling of the address, not to the spelling in the request. */
  async function linkFor(
    mail: QueuedMail,
    user: UserRow,
    purpose: OneTimePurpose,
    path: string,
    { recipient = user.email ?? mail.recipient, ...lifetime }: { recipient?: string } & LinkLifetime = {},
  ) {
    const newToken = { id: mail.id, purpose, user_id: user.id, email: recipient };
    const { value, expiresAt } = await createOneTimeToken(context, keys, newToken, lifetime);
    const { language, inWords } = await readerOf(user, mail);
    return { service, recipient, language, link: `${config.baseUrl}${path}/${value}`, expires: inWords(expiresAt) };
  }

  /** The email change that a mail is about. Undefined if it was cancelled in the meantime. */
  async function changeOf(mail: QueuedMail): Promise<EmailChangeRow | undefined> {
    const { change: id } = parseJson<{ change?: string }>(mail.data);
    const change = id === undefined ? undefined : await findEmailChange(database.db, id);
    return change?.undone_at === null ? change : undefined;
  }

  async function confirmNewEmail(mail: QueuedMail) {
    const change = await changeOf(mail);
    if (!change || change.new_email !== mail.recipient) return undefined;
    if (change.confirmed_at !== null || change.withdrawn_at !== null) return undefined;
    const user = await findUser(database.db, change.user_id);
    if (!user || user.disabled) return undefined;
    const options = { recipient: mail.recipient, notAfter: change.undo_until };
    return linkFor(mail, user, 'confirm_email', '/email/confirm', options);
  }

  async function noticeOfChange(mail: QueuedMail) {
    const change = await changeOf(mail);
    if (!change) return undefined;
    const link = `${config.baseUrl}/email/undo/${signLink(keys, 'undo_email', change.id)}`;
    const { language, inWords } = await readerOf(await findUser(database.db, change.user_id), mail);
    return { service, at: inWords(mail.created_at), language, link, expires: inWords(change.undo_until) };
  }

  /** A mail with a code. Only a user who confirmed the address gets it. */
  async function codeByMail(mail: QueuedMail) {
    const { code: id, expires_at } = parseJson<{ code: string; expires_at: number }>(mail.data);
    const user = await ownerOfEmail(database.db, mail.recipient);
    const { language, inWords } = await readerOf(user, mail);
    const code = emailCodeOf(keys, id);
    return user && { service, recipient: user.email, language, code, expires: inWords(expires_at) };
  }

  return new Map<string, Compose>([
    [
      'confirm-email',
      toUser((mail, user) =>
        user.email_confirmed ? undefined : linkFor(mail, user, 'confirm_email', '/email/confirm'),
      ),
    ],
    ['confirm-new-email', confirmNewEmail],
    ['reset-password', toUser((mail, user) => linkFor(mail, user, 'reset_password', '/password/reset'))],
    [
      'invitation',
      toUser(async (mail, user) => {
        const link = await linkFor(mail, user, 'reset_password', '/invitations', { lifetimeMs: invitationLifetimeMs });
        return { ...link, inviter: dataOf(mail).inviter ?? null };
      }),
    ],
    ['email-change-requested', noticeOfChange],
    [
      'email-changed',
      // An administrator's change cannot be undone by a link.
      async (mail) =>
        mail.data === '{}'
          ? { service, at: timeInWords(mail.created_at, undefined, mail.language), link: null, expires: null }
          : noticeOfChange(mail),
    ],
    ...Object.entries(noticePaths).map(
      ([name, path]) => [name, (mail: QueuedMail) => noticeValues(mail, path)] as const,
    ),
    ['email-code', codeByMail],
  ]);
}

/** An invited user may open the mail days later. */
const invitationLifetimeMs = 3 * 86_400_000;

const dataOf = (mail: QueuedMail): Record<string, string | null> => JSON.parse(mail.data);

/** Queued data is in English, because an older instance may send it. */
const messages = new Map([
  ['a new personal access token', message('mail.what.token')],
  ['a new external application', message('mail.what.application')],
  ['a new secret of an external application', message('mail.what.secret')],
  ['a new key of an external application', message('mail.what.key')],
  ['a personal access token', message('mail.what.leaked_token')],
  ['a session', message('mail.what.leaked_session')],
  ['a secret of an application', message('mail.what.leaked_secret')],
  ['a passkey', message('mail.what.passkey')],
  ['an authenticator app', message('mail.what.authenticator')],
  ['new recovery codes', message('mail.what.recovery_codes')],
  ['a sign-in with a provider', message('mail.what.identity')],
  ['another application', message('mail.another_application')],
]);

/** Messages about credentials that their owner named. */
const namedMessages = new Map([
  ['a new personal access token', (name: string) => message('mail.what.token_named', { named: name })],
  ['a new external application', (name: string) => message('mail.what.application_named', { named: name })],
  ['a new secret of an external application', (name: string) => message('mail.what.secret_named', { named: name })],
  ['a new key of an external application', (name: string) => message('mail.what.key_named', { named: name })],
]);

const localize = (text: string, name: string | null): LocalizedText =>
  (name === null ? undefined : namedMessages.get(text)?.(name)) ?? messages.get(text) ?? localizeUserAgent(text);
