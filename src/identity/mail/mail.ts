import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { getLanguages } from '../../config/languages/languages.ts';
import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { foldEmail } from '../../platform/email-address.ts';
import { createServiceFolder } from '../../platform/files.ts';
import { parseJson } from '../../platform/json-text.ts';
import { inSpan } from '../../platform/tracing.ts';
import type { Job } from '../../resources/queue/job.ts';
import { deleteJobsOfSubject } from '../../resources/queue/job-store.ts';
import type { Queue } from '../../resources/queue/queue.ts';
import {
  type Compose,
  type MailContent,
  type Mails,
  mailTemplates,
  type QueuedMail,
  type RenderMail,
} from './mail-templates.ts';

interface NewMail {
  readonly template: string;
  readonly recipient: string;
  /** Values for the template. Never a secret, because they are stored in the database. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** `Accept-Language` of the request, for readers who have not chosen a language. */
  readonly language?: string | undefined;
}

/** The data of a queued mail. */
type MailData = Required<Omit<NewMail, 'language'>> & Pick<NewMail, 'language'>;

/** The job name of mail in the queue. */
const mailJobName = 'mail';

const composeOwn: Compose = async ({ data, recipient }) => ({ ...parseJson<object>(data), recipient });

/** Mail waits in the queue, not in a request. If the mail server is down, no mail is lost and no request is slow. */
export class Mail {
  readonly #context: Context;
  readonly #queue: Queue;
  readonly #mails: Mails;
  readonly #render: RenderMail;
  #transport: ReturnType<typeof openTransport> | undefined;

  constructor(context: Context, queue: Queue, mails: Mails) {
    this.#context = context;
    this.#queue = queue;
    this.#mails = mails;
    this.#render = mailTemplates(context.config);
    queue.handle<MailData>(mailJobName, (job) => this.#send(job));
  }

  /** Queues a mail. It is sent if the given transaction commits. */
  async enqueue(db: Db | Tx, mail: NewMail): Promise<void> {
    await this.#enqueue(db, mail, false);
  }

  /** Queues a mail with a template of the operator. `data` is stored as given and may contain a secret. */
  async enqueueOwn(db: Db | Tx, mail: NewMail): Promise<void> {
    if (!this.#isOwn(mail.template))
      throw new Error(`there is no mail template ${mail.template}.txt in VIEWS_DIR/mail`);
    await this.#enqueue(db, mail, true);
  }

  /** Sends due mail. Returns when each was tried once. Never throws: failed mail is retried later. */
  settle(): Promise<void> {
    return this.#queue.runDueJobs();
  }

  close(): void {
    void this.#transport?.then((open) => open.close());
  }

  async #enqueue(db: Db | Tx, { template, recipient, data = {}, language }: NewMail, sealed: boolean): Promise<void> {
    const job: MailData = { template, recipient, data, language };
    await this.#queue.enqueue(db, { name: mailJobName, subject: foldEmail(recipient), data: job, sealed });
  }

  #isOwn(template: string): boolean {
    if (this.#mails.has(template) || !/^[a-z][a-z0-9-]*$/.test(template)) return false;
    return existsSync(join(this.#context.config.viewsDir, 'mail', `${template}.txt`));
  }

  async #send({ key, createdAt, data: { template, recipient, data, language: accepted } }: Job<MailData>) {
    const compose = this.#mails.get(template) ?? (this.#isOwn(template) ? composeOwn : undefined);
    if (!compose) throw new Error(`no email template is named ${template}`);
    const queued = { id: key, template, recipient, data: JSON.stringify(data), created_at: createdAt };
    const language = getLanguages(this.#context.config).matchHeader(accepted);
    const mail: QueuedMail = { ...queued, language };
    const composed = await compose(mail);
    if (!composed) return;
    const to = typeof composed.recipient === 'string' ? composed.recipient : recipient;
    const content = await this.#render(template, { language, ...composed });
    const attributes = { 'gatehouse.mail.template': template };
    await inSpan('send mail', { kind: 'client', attributes }, () => this.#deliver({ ...mail, recipient: to }, content));
  }

  /** Returns when the mail server has accepted the mail, or when it is in a file. */
  async #deliver(mail: QueuedMail, content: MailContent): Promise<void> {
    const { config, log, sendMail } = this.#context;
    const { template } = mail;
    if (sendMail) return sendMail({ to: addressOf(mail), template, ...content });
    if (config.smtpUrl) {
      this.#transport ??= openTransport(config.smtpUrl);
      await (await this.#transport).sendMail(headersOf(config, mail, content));
      return;
    }
    const composer = (await load()).createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const { message } = await composer.sendMail(headersOf(config, mail, content));
    const folder = join(config.dataDir, 'mail');
    const file = join(folder, `${mail.id}-${template}.eml`);
    createServiceFolder(folder);
    await writeFile(file, message as Buffer, { mode: 0o600 });
    log.info({ file, template }, 'no SMTP_URL: email written to a file');
  }
}

/** Deletes queued mail to an address. */
export const deleteQueuedMail = (tx: Tx, email: string): Promise<void> =>
  deleteJobsOfSubject(tx, mailJobName, foldEmail(email));

/** A server that sends nothing for longer counts as down. The query of SMTP_URL can override this. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };

/** Loaded with the first mail, so that a start does not wait for it. */
const load = async () => (await import('nodemailer')).default;

/** Rejects an address that could end a header. Stored addresses cannot contain such characters. This is the last check. */
function addressOf({ recipient }: QueuedMail): string {
  if (/[\p{Cc}\s<>,;"]/u.test(recipient)) throw new Error('the address cannot receive email');
  return recipient;
}

/** The default sender name is the name of the service. */
const senderOf = ({ mailFrom, brandName }: Config) =>
  mailFrom.includes('<') ? mailFrom : { name: brandName, address: mailFrom.trim() };

/** The message id is the same at each attempt, so that mailboxes can detect a duplicate. */
const headersOf = (config: Config, mail: QueuedMail, content: MailContent) => ({
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
