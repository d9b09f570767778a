import { hash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isConsoleBeingBuilt } from '../../src/config/config.ts';
import { escapeHtml } from '../../src/config/languages/format-html.ts';
import { fallbackLanguage, type Languages } from '../../src/config/languages/languages.ts';
import type { App } from '../../src/http/app.ts';
import { addVary } from '../../src/http/gate/caching.ts';
import { paramsOf } from '../../src/http/query-of.ts';
import { contentTypes } from '../../src/pages/kit/assets.ts';
import { contentSecurityPolicy } from '../../src/pages/kit/page-kit.ts';
import type { PageKit } from '../../src/pages/kit/page-request.ts';
import { themeVariables } from '../../src/pages/kit/theme.ts';
import { cookieTokenOf, secondsLeft } from '../../src/pages/session/authenticate-web.ts';
import { isOwnOrigin } from '../../src/pages/session/csrf.ts';
import { isAdmin } from '../../src/platform/caller.ts';
import { forbidden, notFound, unavailable } from '../../src/platform/errors.ts';
import { readIfExists } from '../../src/platform/files.ts';
import { getOrCreate } from '../../src/platform/get-or-create.ts';
import { packageFolder } from '../../src/platform/version.ts';

const dist = fileURLToPath(new URL('console/dist', packageFolder));
/** The files of the console. Beside each file is its compressed form, with the ending `.br`. */
const consoleAssets = join(dist, 'assets');

/** Reads the console as built by Vite: one page and the names of its files. Undefined if it is not built. */
function readConsole() {
  const html = readIfExists(join(dist, 'index.html'));
  if (html === undefined) return undefined;
  return { html, assets: new Set(readdirSync(consoleAssets).filter((name) => !name.endsWith('.br'))) };
}

/** The console at `/admin`, for administrators. It calls the API with a token of the browser session. */
export function serveConsole(app: App, kit: PageKit): void {
  let files = readConsole();
  // In a clone, the service can start before the console is built.
  const built = () => {
    files ??= readConsole();
    return files;
  };
  const hidden = { schema: { hide: true } } as const;
  const addressOfMessages = serveConsoleMessages(app, kit.languages, kit.root);

  // The console handles all paths below /admin/. So the URL of a row survives the redirect over the login page.
  for (const path of ['/admin', '/admin/*']) {
    app.get(path, { ...hidden, config: { auth: 'auth:web', errors: 'page' } }, async (request, reply) => {
      requireAdministrator(request);
      const html = built()?.html;
      if (html === undefined) return sendUnbuilt(app, reply);
      const language = await kit.languageOf(request);
      return sendPage(request, reply, html, kit, { language, messages: addressOfMessages(language) });
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

/** The page of one response: its styles have the nonce of the response, its addresses the root path of the service. */
function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  html: string,
  { assets, brand, cookies, languages, root }: PageKit,
  { language, messages }: { readonly language: string; readonly messages: string },
) {
  const nonce = randomBytes(16).toString('base64url');
  const { name, colours } = brand;
  const { theme } = themeVariables(cookies, request);
  /** A text before the messages are loaded. */
  const text = (key: string) => () => escapeHtml(languages.text(language, key, { name }));
  const page = html
    .replaceAll('__NONCE__', nonce)
    .replaceAll('./assets/', `${root}/admin/assets/`)
    .replaceAll('__ROOT__', root)
    .replaceAll('__LANGUAGE__', language)
    .replaceAll('__MESSAGES__', messages)
    .replaceAll('__TITLE__', text('console.title'))
    .replaceAll('__OPENING__', text('console.opening'))
    .replaceAll('__NOSCRIPT__', text('console.noscript'))
    .replace(' data-theme="__THEME__"', theme ? ` data-theme="${theme}"` : '')
    .replace('content="light dark"', `content="${theme ?? 'light dark'}"`)
    .replace(/<link rel="icon"[^>]*>/, () => `<link rel="icon" href="${escapeHtml(assets.logo)}" />`)
    .replaceAll('__BRAND__', () => escapeHtml(JSON.stringify({ name, logo: assets.logo, colours })));
  return addVary(reply, 'accept-language')
    .header('content-language', language)
    .header('content-security-policy', contentSecurityPolicy(brand, { nonce }))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page);
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, files: ReturnType<typeof readConsole>) {
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
    .type(contentTypes.get(extname(name)) ?? 'application/octet-stream')
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
  const error = readIfExists(join(dist, 'build-error.log'));
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
  const contentOf = (language: string): string =>
    getOrCreate(created, language, () =>
      JSON.stringify(languages.messagesOf(language, ['console', 'react-admin', 'errors'])),
    );
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
  /** The address changes with the content. Empty for the English texts in the code. */
  return (language: string): string => {
    if (language === fallbackLanguage && !languages.custom.has(fallbackLanguage)) return '';
    const version = hash('sha256', contentOf(language), 'hex').slice(0, 12);
    return `${root}/admin/messages/${language}?v=${version}`;
  };
}
