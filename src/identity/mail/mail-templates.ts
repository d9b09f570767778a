import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { houseColours, readBrand } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import { languagesOf } from '../../config/languages/languages.ts';
import { addMessages, type LiquidModule } from '../../config/languages/liquid-messages.ts';

const templates = fileURLToPath(new URL('templates', import.meta.url));
/** Where the built-in mails are. The name of a mail does not say in which of the folders. */
export const builtInMails: readonly string[] = [templates, join(templates, 'notices')];

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type RenderMail = (template: string, data: Readonly<Record<string, unknown>>) => Promise<MailContent>;

/** A mail is `<name>.txt` (first line `Subject: …`) and `<name>.html`. Files in `VIEWS_DIR/mail` replace them. */
export function mailTemplates(config: Config): RenderMail {
  const { viewsDir } = config;
  const languages = languagesOf(config);
  const brand = mailBrand(config);
  const root = [join(viewsDir, 'mail'), ...builtInMails];
  const shared = { root, cache: true, ownPropertyOnly: true, strictVariables: true, strictFilters: true } as const;
  const open = () => {
    // At the first mail: a start does not wait for them.
    const liquidjs = createRequire(import.meta.url)('liquidjs') as LiquidModule;
    const plain = new liquidjs.Liquid(shared);
    const escaping = new liquidjs.Liquid({ ...shared, outputEscape: 'escape' });
    addMessages(plain, liquidjs, languages, { markup: false });
    addMessages(escaping, liquidjs, languages, { markup: true });
    return { plain, escaping };
  };
  let engines: ReturnType<typeof open> | undefined;
  return async (template, data) => {
    engines ??= open();
    // Seen by layouts and parts too.
    const options = { globals: { language: data.language ?? languages.standard } };
    const text: string = await engines.plain.renderFile(`${template}.txt`, { ...data, brand }, options);
    const match = /^Subject:[ \t]*(\S[^\r\n]*)\r?\n\s*/.exec(text);
    if (!match) throw new Error(`The mail template ${template}.txt must begin with a line "Subject: …".`);
    const subject = match[1] as string;
    const html: string = await engines.escaping.renderFile(`${template}.html`, { ...data, brand, subject }, options);
    return { subject, text: text.slice(match[0].length), html };
  };
}

/** The logo and the colours of a mail, for light and dark mode. */
function mailBrand(config: Config) {
  const { name, logo, colours } = readBrand(config);
  const { light, dark } = colours ?? houseColours;
  // Readers of mail load pictures from elsewhere, so the logo is named by its whole address.
  const at = logo && 'url' in logo ? logo.url : `${config.baseUrl}/assets/logo`;
  const shown = { color: light.fill, text: light.onFill, ink: light.accent };
  const inTheDark = { color: dark.fill, text: dark.onFill, ink: dark.accent };
  return {
    name,
    home: config.baseUrl,
    host: new URL(config.baseUrl).host,
    logo: logo ? at : null,
    ...shown,
    dark: inTheDark,
  };
}

/** A mail that is to be sent. */
export interface QueuedMail {
  /** The same however often it is tried. */
  readonly id: string;
  readonly template: string;
  readonly recipient: string;
  /** JSON. */
  readonly data: string;
  readonly created_at: number;
  /** Of the request that caused it. A reader's own choice comes before it: `language` among what it is filled with. */
  readonly language: string;
}

/** Creates the values when the mail is sent: the queue holds no usable link. Undefined drops the mail. */
export type Compose = (mail: QueuedMail) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Template name → how its mails are composed. */
export type Mails = ReadonlyMap<string, Compose>;
