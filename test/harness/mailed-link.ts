import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { Service } from './service.ts';

/** The path of the link in the last mail of this kind to this person, which a service without SMTP_URL writes to a file. */
export async function mailedLink(
  { accounts, context }: Service,
  template: 'confirm-email' | 'reset-password',
  recipient: string,
): Promise<string> {
  await accounts.mail.settle();
  const folder = join(context.config.dataDir, 'mail');
  const files = readdirSync(folder).filter((name) => name.endsWith(`-${template}.eml`));
  for (const file of files.sort().reverse()) {
    const { to, text } = await PostalMime.parse(readFileSync(join(folder, file)));
    if (to?.[0]?.address !== recipient) continue;
    const link = /https?:\S+/.exec(text ?? '')?.[0] as string;
    return new URL(link).pathname;
  }
  throw new Error(`no ${template} mail to ${recipient}`);
}
