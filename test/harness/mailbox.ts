import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import type { Service } from './service.ts';

/** The mails of one template to one address, oldest first, which a service without SMTP_URL writes to files. */
export async function mailsTo({ accounts, context }: Service, template: string, recipient: string): Promise<Email[]> {
  await accounts.mail.settle();
  const folder = join(context.config.dataDir, 'mail');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(`-${template}.eml`));
  const mails = await Promise.all(files.sort().map((file) => PostalMime.parse(readFileSync(join(folder, file)))));
  return mails.filter(({ to }) => to?.[0]?.address === recipient);
}

/** The token at the end of the link in the last mail. */
export async function tokenMailed(service: Service, template: string, recipient: string): Promise<string> {
  const text = (await mailsTo(service, template, recipient)).at(-1)?.text ?? '';
  const link = /https?:\S+/.exec(text)?.[0];
  if (!link) throw new Error(`no link in a ${template} mail to ${recipient}`);
  return link.split('/').at(-1) as string;
}
