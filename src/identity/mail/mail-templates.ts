import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Liquid, RenderOptions } from 'liquidjs';
import { defaultColours, readBrand } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import { extensionFolders } from '../../config/extension-folders.ts';
import { getLanguages } from '../../config/languages/languages.ts';
import { addMessages, type LiquidModule } from '../../config/languages/liquid-messages.ts';
import { reasonOf } from '../../platform/errors.ts';

const templates = fileURLToPath(new URL('templates', import.meta.url));
/** The folders of the built-in mails. */
export const builtInMails = (): string[] => [templates, join(templates, 'notices'), ...extensionFolders('mails')];

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type RenderMail = (template: string, data: Readonly<Record<string, unknown>>) => Promise<MailContent>;

/** A mail is `<name>.txt` (first line `Subject: …`) and `<name>.html`. Files in `VIEWS_DIR/mail` replace them. */
export function mailTemplates(config: Config): RenderMail {
  const languages = getLanguages(config);
  const brand = mailBrand(config);
  const createEngines = () => {
    const engineOptions = {
      root: [join(config.viewsDir, 'mail'), ...builtInMails()],
      cache: true,
      ownPropertyOnly: true,
      strictVariables: true,
      strictFilters: true,
    };
    // Loaded with the first mail, so that a start does not wait for it.
    const liquidjs = createRequire(import.meta.url)('liquidjs') as LiquidModule;
    const plain = new liquidjs.Liquid(engineOptions);
    const escaping = new liquidjs.Liquid({ ...engineOptions, outputEscape: 'escape' });
    addMessages(plain, liquidjs, languages, { markup: false });
    addMessages(escaping, liquidjs, languages, { markup: true });
    return { plain, escaping };
  };
  let engines: ReturnType<typeof createEngines> | undefined;
  return async (template, data) => {
    engines ??= createEngines();
    // Globals are visible in layouts and partials too.
    const options = { globals: { language: data.language ?? languages.default } };
    const text = await renderFile(engines.plain, `${template}.txt`, { ...data, brand }, options);
    const [heading, subject] = /^Subject:[ \t]*(\S[^\r\n]*)\r?\n\s*/.exec(text) ?? [];
    if (heading === undefined || subject === undefined)
      throw new Error(`The mail template ${template}.txt must begin with a line "Subject: …".`);
    const html = await renderFile(engines.escaping, `${template}.html`, { ...data, brand, subject }, options);
    return { subject, text: text.slice(heading.length), html };
  };
}

async function renderFile(engine: Liquid, file: string, values: object, options: RenderOptions): Promise<string> {
  try {
    return await engine.renderFile(file, values, options);
  } catch (error) {
    throw new Error(`The mail template ${file}: ${reasonOf(error)}`);
  }
}

/** The logo and the colours of a mail, for light and dark mode. */
function mailBrand(config: Config) {
  const { name, logo, colours } = readBrand(config);
  const { light, dark } = colours ?? defaultColours;
  // Mail programs load images from the network, so the logo needs an absolute address.
  const logoUrl = logo && 'url' in logo ? logo.url : `${config.baseUrl}/assets/logo`;
  const lightColours = { color: light.fill, text: light.onFill, ink: light.accent };
  const darkColours = { color: dark.fill, text: dark.onFill, ink: dark.accent };
  return {
    name,
    home: config.baseUrl,
    host: new URL(config.baseUrl).host,
    logo: logo ? logoUrl : null,
    ...lightColours,
    dark: darkColours,
  };
}

export interface QueuedMail {
  /** The same at each attempt. */
  readonly id: string;
  readonly template: string;
  readonly recipient: string;
  /** JSON. */
  readonly data: string;
  readonly created_at: number;
  /** The language of the request that caused the mail. A reader's own choice (`language` in the values) has priority. */
  readonly language: string;
}

/** Creates the values when the mail is sent: the queue holds no usable link. Undefined drops the mail. */
export type Compose = (mail: QueuedMail) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Template name → how its mails are composed. */
export type Mails = ReadonlyMap<string, Compose>;
