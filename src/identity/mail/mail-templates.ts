import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Liquid, RenderOptions } from 'liquidjs';
import { defaultColours, readBrand } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import { getLanguages } from '../../config/languages/languages.ts';
import { addMessages, type LiquidModule } from '../../config/languages/liquid-messages.ts';
import { suggestName } from '../../platform/closest-name.ts';
import { reasonOf } from '../../platform/errors.ts';
import { extensionFolders } from '../../platform/extension-folders.ts';

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

/** A call of `mail` with a literal template name. */
const mailCall = /(?<![\w$.])(?:\w+\.)?mail\(\s*(['"`])([^'"`$\\\n]{1,100})\1/g;

/** The errors in the operator's mails: unreadable templates, and code that names a missing template. */
export function checkMailTemplates(config: Config): string[] {
  const { viewsDir, resourcesDir, routesDir, jobsDir, migrationsDir } = config;
  const folder = join(viewsDir, 'mail');
  const templateFiles = filesIn(folder).filter((file) => /\.(txt|html)$/.test(file));
  return [
    ...templateFiles.flatMap((file) => errorsInTemplate(config, folder, file)),
    ...[resourcesDir, routesDir, jobsDir, migrationsDir].flatMap((dir) =>
      missingTemplatesIn(dir, folder, templateFiles),
    ),
  ];
}

const filesIn = (dir: string): string[] =>
  existsSync(dir)
    ? readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
    : [];

function errorsInTemplate(config: Config, folder: string, file: string): string[] {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const problems: string[] = [];
  try {
    const liquidjs = createRequire(import.meta.url)('liquidjs') as LiquidModule;
    const liquid = new liquidjs.Liquid({ root: [folder, ...builtInMails()], strictFilters: true });
    addMessages(liquid, liquidjs, getLanguages(config), { markup: false });
    liquid.parse(text);
  } catch (error) {
    problems.push(`${path}: ${reasonOf(error)}`);
  }
  const name = file.replace(/\.\w+$/, '');
  if (name === 'layout' || name.startsWith('parts/')) return problems;
  if (file.endsWith('.txt') && !/^Subject:[ \t]*\S/.test(text))
    problems.push(`${path}: it must begin with a line "Subject: …".`);
  const counterpart = file.endsWith('.txt') ? `${name}.html` : `${name}.txt`;
  if (![folder, ...builtInMails()].some((dir) => existsSync(join(dir, counterpart))))
    problems.push(`${path}: a mail needs both ${name}.txt and ${name}.html; ${counterpart} is missing.`);
  return problems;
}

/** Searches the code as text, because the mails that it sends are known only when it runs. */
function missingTemplatesIn(dir: string, folder: string, templateFiles: readonly string[]): string[] {
  const names = templateFiles.filter((file) => file.endsWith('.txt')).map((file) => file.slice(0, -'.txt'.length));
  const sources = filesIn(dir).filter((file) => /\.(ts|mts|js|mjs)$/.test(file) && !/\.(d|test)\.\w+$/.test(file));
  return sources.flatMap((source) => {
    const path = join(dir, source);
    const text = readFileSync(path, 'utf8');
    return [...text.matchAll(mailCall)].flatMap(({ 2: name = '', index }) => {
      if (names.includes(name)) return [];
      const line = text.slice(0, index).split('\n').length;
      return `${path}:${line}: there is no mail template ${name}.txt in ${folder}.${suggestName(name, names)}`;
    });
  });
}
