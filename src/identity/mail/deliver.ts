import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../database/context.ts';
import { createFolder } from '../../platform/files.ts';
import type { MailContent, QueuedMail } from './mail-templates.ts';

export interface Delivery {
  /** Returns when the mail server has accepted the mail, or when it is in a file. */
  deliver(mail: QueuedMail, content: MailContent): Promise<void>;
  close(): void;
}

/** A server that sends nothing for longer counts as down. The query of SMTP_URL can override this. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };

/** Loaded with the first mail, so that a start does not wait for it. */
const load = async () => (await import('nodemailer')).default;

export const openDelivery = (context: Context): Delivery =>
  context.sendMail
    ? deliverToTest(context.sendMail)
    : context.config.smtpUrl
      ? deliverBySmtp(context)
      : deliverToFiles(context);

/** Rejects an address that could end a header. Stored addresses cannot contain such characters. This is the last check. */
function addressOf({ recipient }: QueuedMail): string {
  if (/[\p{Cc}\s<>,;"]/u.test(recipient)) throw new Error('the address cannot receive email');
  return recipient;
}

/** The default sender name is the name of the service. */
const senderOf = ({ mailFrom, brandName }: Config) =>
  mailFrom.includes('<') ? mailFrom : { name: brandName, address: mailFrom.trim() };

/** The message id is the same at each attempt, so that mailboxes can detect a duplicate. */
const headersOf = ({ config }: Context, mail: QueuedMail, content: MailContent) => ({
  from: senderOf(config),
  to: { name: '', address: addressOf(mail) },
  messageId: `<${mail.id}@${new URL(config.baseUrl).hostname}>`,
  date: new Date(mail.created_at),
  // Tells other programs not to reply automatically (RFC 3834).
  headers: { 'Auto-Submitted': 'auto-generated' },
  ...content,
});

async function openTransport(smtpUrl: string) {
  const query = [...new URL(smtpUrl).searchParams].filter(([name]) => name in timeouts);
  const options = Object.fromEntries(query.map(([name, value]) => [name, Number(value)]));
  return (await load()).createTransport({ url: smtpUrl, ...timeouts, ...options });
}

/** Connects and logs in, but sends nothing. Throws the error of the mail server. */
export async function checkDelivery(smtpUrl: string): Promise<void> {
  const transport = await openTransport(smtpUrl);
  await transport.verify().finally(() => transport.close());
}

function deliverBySmtp(context: Context): Delivery {
  let transport: ReturnType<typeof openTransport> | undefined;
  return {
    async deliver(mail, content) {
      transport ??= openTransport(context.config.smtpUrl);
      await (await transport).sendMail(headersOf(context, mail, content));
    },
    close: () => void transport?.then((open) => open.close()),
  };
}

const deliverToTest = (send: NonNullable<Context['sendMail']>): Delivery => ({
  async deliver(mail, content) {
    send({ to: addressOf(mail), template: mail.template, ...content });
  },
  close: () => undefined,
});

function deliverToFiles(context: Context): Delivery {
  const { config, log } = context;
  const folder = join(config.dataDir, 'mail');
  return {
    async deliver(mail, content) {
      const composer = (await load()).createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await composer.sendMail(headersOf(context, mail, content));
      const file = join(folder, `${mail.id}-${mail.template}.eml`);
      createFolder(folder, 0o700);
      await writeFile(file, message as Buffer, { mode: 0o600 });
      log.info({ file, template: mail.template }, 'no SMTP_URL: email written to a file');
    },
    close: () => undefined,
  };
}
