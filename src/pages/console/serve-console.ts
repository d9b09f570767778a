import { hash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../config/brand.ts';
import { isConsoleBeingBuilt } from '../../config/config.ts';
import { escapeHtml } from '../../config/languages/format-html.ts';
import { fallbackLanguage, type Languages } from '../../config/languages/languages.ts';
import type { App } from '../../http/app.ts';
import { addVary } from '../../http/gate/caching.ts';
import { paramsOf } from '../../http/query-of.ts';
import { isAdmin } from '../../platform/caller.ts';
import { forbidden, notFound, unavailable } from '../../platform/errors.ts';
import { readIfExists } from '../../platform/files.ts';
import { contentSecurityPolicy } from '../kit/page-kit.ts';
import type { PageKit } from '../kit/page-request.ts';
import { themeVariables } from '../kit/theme.ts';
import { cookieTokenOf, secondsLeft } from '../session/authenticate-web.ts';
import { isOwnOrigin } from '../session/csrf.ts';

/** The console as built by Vite: one page and its files. */
interface ConsoleFiles {
  /** The page of one response: its styles have the nonce of the response, its addresses the root path of the service. */
  page(nonce: string, root: string, brand: ConsoleBrand, reader: ConsoleReader): string;
  /** The names of its files in `consoleAssets`. */
  readonly assets: ReadonlySet<string>;
}

/** The reader of the page. */
interface ConsoleReader {
  readonly language: string;
  /** The address of the messages in this language. Empty: the English texts in the code. */
  readonly messages: string;
  /** The text before the messages are loaded. */
  readonly texts: { readonly title: string; readonly opening: string; readonly noscript: string };
  /** The theme that was chosen on the pages. */
  readonly theme: 'light' | 'dark' | undefined;
}

/** The operator's brand, for the console. */
interface ConsoleBrand {
  readonly name: string;
  readonly logo: string;
  readonly colours: Brand['colours'];
}

const dist = join(import.meta.dirname, '../../../console/dist');
/** The files of the console. Beside each file is its compressed form, with the ending `.br`. */
const consoleAssets = join(dist, 'assets');

/** The reason why the console could not be built. Undefined if no build has failed. */
const readBuildError = (): string | undefined => readIfExists(join(dist, 'build-error.log'));

/** Reads the built console. Undefined if it is not built. */
function readConsole(): ConsoleFiles | undefined {
  const html = readIfExists(join(dist, 'index.html'));
  if (html === undefined) return undefined;
  return {
    page: (nonce, root, brand, { language, messages, texts, theme }) =>
      html
        .replaceAll('__NONCE__', nonce)
        .replaceAll('./assets/', `${root}/admin/assets/`)
        .replaceAll('__ROOT__', root)
        .replaceAll('__LANGUAGE__', language)
        .replaceAll('__MESSAGES__', messages)
        .replaceAll('__TITLE__', () => escapeHtml(texts.title))
        .replaceAll('__OPENING__', () => escapeHtml(texts.opening))
        .replaceAll('__NOSCRIPT__', () => escapeHtml(texts.noscript))
        .replace(' data-theme="__THEME__"', theme ? ` data-theme="${theme}"` : '')
        .replace('content="light dark"', `content="${theme ?? 'light dark'}"`)
        .replace(/<link rel="icon"[^>]*>/, () => `<link rel="icon" href="${escapeHtml(brand.logo)}" />`)
        .replaceAll('__BRAND__', () => escapeHtml(JSON.stringify(brand))),
    assets: new Set(readdirSync(consoleAssets).filter((name) => !name.endsWith('.br'))),
  };
}

const types = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/** The console at `/admin`, for administrators. It calls the API with a token of the browser session. */
export function serveConsole(app: App, kit: PageKit): void {
  let files = readConsole();
  // In a clone, the service can start before the console is built.
  const built = (): ConsoleFiles | undefined => {
    files ??= readConsole();
    return files;
  };
  const hidden = { schema: { hide: true } } as const;
  const messages = serveConsoleMessages(app, kit.languages, kit.root);

  // The console handles all paths below /admin/. So the URL of a row survives the redirect over the login page.
  for (const path of ['/admin', '/admin/*']) {
    app.get(path, { ...hidden, config: { auth: 'auth:web', errors: 'page' } }, async (request, reply) => {
      requireAdministrator(request);
      const consoleFiles = built();
      if (!consoleFiles) return sendUnbuilt(app, reply);
      const language = await kit.languageOf(request);
      const { theme } = themeVariables(kit.cookies, request);
      const texts = textsOfPage(kit, language);
      return sendPage(reply, consoleFiles, kit, { language, messages: messages.addressOf(language), texts, theme });
    });
  }
  app.post('/admin/token', { ...hidden, config: { auth: 'auth:web' } }, async (request, reply) => {
    requireAdministrator(request);
    rejectOtherOrigins(request, kit);
    const token = cookieTokenOf(request);
    reply.header('cache-control', 'no-store');
    return { token_type: 'Bearer', access_token: token, expires_in: secondsLeft(token, kit.now()) };
  });
  // The code of the console is public, so browsers may cache it.
  app.get('/admin/assets/:name', { ...hidden, config: { auth: 'public', limited: false } }, async (request, reply) =>
    sendAsset(request, reply, built()),
  );
}

function sendPage(reply: FastifyReply, files: ConsoleFiles, { brand, root, assets }: PageKit, reader: ConsoleReader) {
  const nonce = randomBytes(16).toString('base64url');
  const { name, colours } = brand;
  return addVary(reply, 'accept-language')
    .header('content-language', reader.language)
    .header('content-security-policy', contentSecurityPolicy(brand, { nonce }))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(files.page(nonce, root, { name, logo: assets.logo, colours }, reader));
}

const textsOfPage = ({ languages, brand }: PageKit, language: string): ConsoleReader['texts'] => ({
  title: languages.text(language, 'console.title', { name: brand.name }),
  opening: languages.text(language, 'console.opening'),
  noscript: languages.text(language, 'console.noscript'),
});

async function sendAsset(request: FastifyRequest, reply: FastifyReply, files: ConsoleFiles | undefined) {
  if (!files) throw unavailable(missingConsole().detail, secondsToBuild);
  const { name = '' } = paramsOf(request);
  if (!files.assets.has(name)) throw notFound();
  const isCompressed = /\bbr\b/.test(request.headers['accept-encoding'] ?? '');
  // Read before the headers are set, because an error must not be cached.
  const content = await readFile(join(consoleAssets, isCompressed ? `${name}.br` : name)).catch((error: Error) => {
    throw unavailable('This file of the console cannot be read at the moment.', secondsToBuild, error.message);
  });
  if (isCompressed) reply.header('content-encoding', 'br');
  return addVary(reply, 'accept-encoding')
    .type(types.get(extname(name)) ?? 'application/octet-stream')
    .header('cache-control', 'public, max-age=31536000, immutable')
    .send(content);
}

function requireAdministrator({ caller }: FastifyRequest): void {
  if (!isAdmin(caller)) throw forbidden('The console is for administrators. Your account is not an administrator.');
}

/** A page of another origin must not get the token, even if CORS_ORIGINS lets it call the API. */
function rejectOtherOrigins({ headers, host }: FastifyRequest, { config }: PageKit): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = origin === undefined || isOwnOrigin(origin, host, config);
  if (!isOwn || (site !== undefined && site !== 'same-origin')) {
    throw forbidden('Only the console itself may ask for its token.', 'foreign_origin');
  }
}

const secondsToBuild = 3;

/** Why there is no console, and whether it will be there soon. */
function missingConsole(): { readonly detail: string; readonly isBuilding: boolean } {
  const error = readBuildError();
  if (error !== undefined) return { detail: `The console could not be built: ${error}`, isBuilding: false };
  return isConsoleBeingBuilt()
    ? { detail: 'The console is being built. This page reloads by itself until it is ready.', isBuilding: true }
    : { detail: 'This installation has no console. In its repository run: npm run build', isBuilding: false };
}

/** A page that reloads while the console is being built. Otherwise it shows why there is no console. */
async function sendUnbuilt(app: App, reply: FastifyReply): Promise<FastifyReply> {
  const { detail, isBuilding } = missingConsole();
  reply.header('retry-after', secondsToBuild);
  if (isBuilding) reply.header('refresh', secondsToBuild);
  // Not an error, which would be logged at each reload.
  return (app.errorPage as NonNullable<App['errorPage']>)(reply, 503, 'Service Unavailable', detail);
}

/** The messages of the console, one file per language. A page loads only its language. */
function serveConsoleMessages(app: App, languages: Languages, root: string) {
  const created = new Map<string, string>();
  const contentOf = (language: string): string => {
    const content =
      created.get(language) ?? JSON.stringify(languages.messagesOf(language, ['console', 'react-admin', 'errors']));
    created.set(language, content);
    return content;
  };
  app.get(
    '/admin/messages/:language',
    { schema: { hide: true }, config: { auth: 'public', limited: false } },
    async (request, reply) => {
      const { language = '' } = paramsOf(request);
      if (!languages.list.includes(language)) throw notFound();
      return reply
        .type('application/json; charset=utf-8')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(contentOf(language));
    },
  );
  return {
    /** The address changes with the content. Empty for the English texts in the code. */
    addressOf(language: string): string {
      if (language === fallbackLanguage && !languages.custom.has(fallbackLanguage)) return '';
      const version = hash('sha256', contentOf(language), 'hex').slice(0, 12);
      return `${root}/admin/messages/${language}?v=${version}`;
    },
  };
}
