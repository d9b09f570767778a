import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { getLanguages } from '../../src/config/languages/languages.ts';
import { addMessages, type LiquidModule } from '../../src/config/languages/liquid-messages.ts';
import { builtInMails } from '../../src/identity/mail/mail-templates.ts';
import { suggestName } from '../../src/platform/closest-name.ts';
import { reasonOf } from '../../src/platform/errors.ts';

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
