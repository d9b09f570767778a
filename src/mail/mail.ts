import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { Db, Tx } from '../database/database.ts';
import { uuidv7 } from '../database/uuid.ts';
import { type Delivery, openDelivery } from './deliver.ts';
import {
  claimDueMails,
  countMails,
  deleteMail,
  hasDueMails,
  insertMail,
  type MailRow,
  postponeMail,
} from './mail-store.ts';
import { mailTemplates, type RenderMail } from './mail-templates.ts';
import type { Compose, Mails } from './mails.ts';

export interface NewMail {
  readonly template: string;
  readonly recipient: string;
  /** For the template's composer. Never a secret: it lies in the database. */
  readonly data?: Readonly<Record<string, unknown>>;
}

const composeOwn: Compose = async ({ data, recipient }) => ({ ...(JSON.parse(data) as object), recipient });

/** Longer than any attempt takes: when it ends, the instance that had the mail is gone. */
const claimMs = 5 * 60_000;
const atOnce = 5;
const pollMs = 2000;
const firstRetryMs = 15_000;
const longestRetryMs = 60 * 60_000;
const giveUpAfterMs = 5 * 24 * 60 * 60_000;

/** Mail waits in the database, not in a request: a mail server that is down loses nothing and slows nobody. */
export class Mail {
  readonly #context: Context;
  readonly #mails: Mails;
  readonly #render: RenderMail;
  readonly #delivery: Delivery;
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(context: Context, mails: Mails) {
    this.#context = context;
    this.#mails = mails;
    this.#render = mailTemplates(context.config);
    this.#delivery = openDelivery(context);
  }

  /** Puts a mail into the queue, to be sent exactly when a given transaction commits. Call `wake` after that. */
  async enqueue(db: Db | Tx, { template, recipient, data }: NewMail): Promise<void> {
    const at = this.#context.now();
    await insertMail(db, {
      id: uuidv7(at),
      template,
      recipient,
      data: JSON.stringify(data ?? {}),
      attempts: 0,
      next_attempt_at: at,
      created_at: at,
      claimed_until: null,
      last_error: null,
    });
  }

  /** A mail by a template of the operator's own, filled with `data` as it is. */
  async enqueueOwn(db: Db | Tx, mail: NewMail): Promise<void> {
    if (!this.#isOwn(mail.template))
      throw new Error(`there is no mail template ${mail.template}.txt in VIEWS_DIR/mail`);
    await this.enqueue(db, mail);
  }

  /** Sends what is due now rather than at the next look. */
  wake(): void {
    void this.settle();
  }

  /** Sends what is due, and returns when all of it was tried. Never throws: what failed is tried again later. */
  settle(): Promise<void> {
    this.#again = true;
    this.#pass ??= this.#work().finally(() => {
      this.#pass = undefined;
    });
    return this.#pass;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.wake(), pollMs).unref();
    this.wake();
  }

  /** Takes up nothing more and waits for what is under way, but not for a server that hangs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, 2000);
    });
    await Promise.race([this.#pass, timeout]);
    clearTimeout(timer);
    this.#delivery.close();
  }

  #isOwn(template: string): boolean {
    if (this.#mails.has(template) || !/^[a-z][a-z0-9-]*$/.test(template)) return false;
    return existsSync(join(this.#context.config.viewsDir, 'mail', `${template}.txt`));
  }

  async #work(): Promise<void> {
    const { database, metrics, log, now } = this.#context;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        if (!(await hasDueMails(database.db, now()))) continue;
        const mails = await claimDueMails(database.db, now(), now() + claimMs, atOnce);
        if (mails.length > 0) this.#again = true;
        await Promise.all(mails.map((mail) => this.#send(mail)));
        metrics.mailQueue.set(await countMails(database.db));
      }
    } catch (error) {
      if (!this.#stopped) log.warn({ err: error }, 'the mail queue could not be read; it will be again');
    }
  }

  async #send(mail: MailRow): Promise<void> {
    const { database, log, now } = this.#context;
    try {
      const compose = this.#mails.get(mail.template) ?? (this.#isOwn(mail.template) ? composeOwn : undefined);
      if (!compose) throw new Error(`no mail is named ${mail.template}`);
      const data = await compose(mail);
      const recipient = typeof data?.recipient === 'string' ? data.recipient : mail.recipient;
      if (data) await this.#delivery.deliver({ ...mail, recipient }, await this.#render(mail.template, data));
    } catch (error) {
      const { message } = error as Error;
      const line = { mail: mail.id, template: mail.template, attempts: mail.attempts, reason: message };
      if (now() - mail.created_at >= giveUpAfterMs) log.error(line, 'mail given up after five days of trying');
      else {
        const wait = Math.min(firstRetryMs * 2 ** (mail.attempts - 1), longestRetryMs);
        log.warn({ ...line, retryInSeconds: wait / 1000 }, 'mail not sent yet');
        return postponeMail(database.db, mail.id, now() + wait, message.slice(0, 500));
      }
    }
    await deleteMail(database.db, mail.id);
  }
}

export const createMail = (context: Context, mails: Mails): Mail => new Mail(context, mails);
