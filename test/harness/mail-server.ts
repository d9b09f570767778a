import { after, before } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Engine } from '../../src/database/database.ts';
import { type Service, services } from './service.ts';

export interface MailServer {
  readonly url: string;
  /** The accepted mails, parsed and in order. */
  readonly mails: Email[];
  /** How it treats the next mails: accepts them, rejects them temporarily, or does not respond. */
  mood: 'accept' | 'refuse' | 'hang';
  /** The number of delivery attempts. */
  readonly attempts: number;
  close(): Promise<void>;
}

/** A real mail server on loopback, closed after the current suite. */
export function mailServers(): () => Promise<MailServer> {
  const started: MailServer[] = [];
  after(async () => {
    for (const server of started) await server.close();
  });
  return async () => {
    const server = await startMailServer();
    started.push(server);
    return server;
  };
}

/** The mail server of the current suite, and a function that starts services with it. */
export function servicesWithMail(engine: Engine): {
  readonly server: MailServer;
  start(env?: Record<string, string>): Promise<Service>;
} {
  const start = services(engine);
  const startServer = mailServers();
  let server: MailServer;
  before(async () => {
    server = await startServer();
  });
  return {
    get server() {
      return server;
    },
    start: (env = {}) => start({ env: { SMTP_URL: server.url, ...env } }),
  };
}

async function startMailServer(): Promise<MailServer> {
  const mails: Email[] = [];
  let attempts = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onData(stream, _session, done) {
      attempts++;
      const { mood } = server;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        if (mood === 'hang') return;
        if (mood === 'refuse') return done(Object.assign(new Error('not now'), { responseCode: 451 }));
        mails.push(await PostalMime.parse(Buffer.concat(chunks)));
        done();
      });
    },
  });
  smtp.on('error', () => undefined);
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const { port } = smtp.server.address() as { port: number };
  const server: MailServer = {
    url: `smtp://127.0.0.1:${port}?ignoreTLS=true`,
    mails,
    mood: 'accept',
    get attempts() {
      return attempts;
    },
    close: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  };
  return server;
}

/** The accepted mails, after the service has sent everything. */
export async function mailsAt(
  { mails }: MailServer,
  { accounts }: Service,
  matches: (address: string, subject: string) => boolean,
): Promise<Email[]> {
  await accounts.mail.settle();
  return mails.filter(({ to, subject }) => matches(to?.[0]?.address ?? '', subject ?? ''));
}

/** The token at the end of the link in a mail. */
export function tokenIn({ text, html }: Email): string {
  const inText = /\/([0-9a-f-]{36}\.[\w-]{43})\s/.exec(text ?? '')?.[1];
  const inHtml = /href="[^"]*\/([0-9a-f-]{36}\.[\w-]{43})"/.exec(html ?? '')?.[1];
  if (!inText || inText !== inHtml) throw new Error(`no link, or two different ones: ${inText} ${inHtml}`);
  return inText;
}
