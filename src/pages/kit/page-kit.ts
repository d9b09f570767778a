import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Brand, logoCspSource, readBrand } from '../../config/brand.ts';
import { getLanguages, type Languages, languageName } from '../../config/languages/languages.ts';
import { Message, message } from '../../config/languages/message.ts';
import { pageProblemMessage } from '../../config/languages/problem-message.ts';
import type { App, Protection } from '../../http/app.ts';
import { maxErrorBytes } from '../../http/errors/error-bodies.ts';
import { addVary } from '../../http/gate/caching.ts';
import type { SignInProviders } from '../../identity/providers/sign-in-providers.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import { Problem } from '../../platform/errors.ts';
import type { WebSessions } from '../session/authenticate-web.ts';
import { createLoginClient, createRequestLanguage } from '../session/call-api.ts';
import { createCookies } from '../session/cookies.ts';
import { createCsrf } from '../session/csrf.ts';
import { createServeAsset, serveAssets } from './assets.ts';
import { type CspSources, type Handler, type PageKit, PageRequest } from './page-request.ts';
import { currentPath, themeVariables } from './theme.ts';
import { createViews, type Variables } from './views.ts';
import { withStepUp } from './with-step-up.ts';

/** Styles and scripts come only from files of this origin. Inline scripts do not run. */
export const contentSecurityPolicy = (brand: Brand, { formTargets, image, nonce }: CspSources = {}): string =>
  [
    "default-src 'none'",
    `style-src 'self'${nonce ? ` 'nonce-${nonce}'` : ''}`,
    "script-src 'self'",
    `img-src 'self' data:${logoCspSource(brand)}${image ? ` ${new URL(image).origin}` : ''}`,
    "font-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTargets ? ` ${formTargets}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

interface PageKitServices {
  readonly providers: SignInProviders;
  readonly webSessions: WebSessions;
}

export async function createPageKit(app: App, oauth: OAuth, { webSessions, providers }: PageKitServices) {
  const { config, database, now } = oauth.context;
  // BASE_URL may have a path, and a proxy may strip it.
  const root = new URL(config.baseUrl).pathname.replace(/\/$/, '');
  const brand = readBrand(config);
  const policy = contentSecurityPolicy(brand);
  const serveAsset = createServeAsset(app, brand, root);
  const assets = await serveAssets(app, config, serveAsset, brand, root);
  const cookies = createCookies(config);
  const csrf = createCsrf(config, oauth.keys, cookies);
  const languages = getLanguages(config);
  const views = createViews(config, languages);
  const requestLanguage = createRequestLanguage(languages, cookies);
  const languageOf = async (request: FastifyRequest) =>
    requestLanguage.of(request, database.db, request.caller.userId ?? (await webSessions.findUserId(request)));
  const loginPath = `/${config.loginPageUrl}`;
  const local_passwords = config.localPasswords;
  const can_register = config.registration === 'open';
  const choices = languages.list.map((tag) => ({
    tag,
    // Evaluated on demand: the names of languages take 30 ms to load.
    get name() {
      return languageName(tag);
    },
  }));
  const globals = {
    languages: choices,
    root,
    assets,
    product: brand.name,
    login_path: root + loginPath,
    can_register,
    local_passwords,
  };

  const send = (reply: FastifyReply, language: string, html: string, sources?: CspSources): FastifyReply =>
    addVary(reply, 'accept-language')
      .header('content-language', language)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', sources ? contentSecurityPolicy(brand, sources) : policy)
      // With `no-referrer`, browsers would send `Origin: null` with our own forms (Fetch, "append a request Origin header"). Never
      // the path: in a mailed link it contains a secret.
      .header('referrer-policy', 'strict-origin')
      .header('cache-control', 'no-store')
      .send(html);

  app.errorPage = async (reply, status, title, detail, code) => {
    const { request } = reply;
    const ofBrowser = () => requestLanguage.ofBrowser(request);
    // The database may be the reason for an error of the server.
    const language = status < 500 ? await languageOf(request).catch(ofBrowser) : ofBrowser();
    const variables = translateVariables(languages, language, describeError(request, status, title, detail, code));
    // The path without its query, because the query may have caused the error.
    const here = currentPath(request);
    // A form from another site comes without the cookie of the visitor, and must not replace it.
    const hasVisitor = request.method === 'GET' || cookies.read(request).visitor !== undefined;
    const token = hasVisitor ? csrf.token(request, reply) : undefined;
    const templateGlobals = { ...globals, ...themeVariables(cookies, request), here, language, csrf: token };
    return send(reply.code(status), language, views.render('error', variables, templateGlobals));
  };

  /** Handlers call the API in the reader's language. */
  const inLanguage = (handler: Handler) => async (request: FastifyRequest, reply: FastifyReply) => {
    await languageOf(request);
    return handler(new PageRequest(kit, request, reply));
  };
  const options = (auth: Protection) => ({ config: { auth, errors: 'page' as const }, schema: { hide: true } });
  const kit: PageKit = {
    oauth,
    config,
    brand,
    root,
    assets,
    serveAsset,
    policy,
    database,
    now,
    cookies,
    client: createLoginClient(config),
    webSessions,
    languages,
    languageOf,
    loginPath,
    providers,
    page(path, auth, handler) {
      app.get(path, options(auth), inLanguage(handler));
    },
    form(path, auth, handler) {
      app.post(
        path,
        { ...options(auth), preHandler: async (request) => csrf.check(request) },
        inLanguage(withStepUpIfSignedIn(auth, handler)),
      );
    },
    formWithoutCsrf(path, handler) {
      app.post(
        path,
        { ...options('public'), preHandler: async (request) => csrf.checkOrigin(request) },
        (request, reply) => handler(new PageRequest(kit, request, reply)),
      );
    },
    checkForm: csrf.check,
    hasView: views.has,
    async show({ request, reply }, view, variables, sources) {
      const token = csrf.token(request, reply);
      const language = await languageOf(request);
      const all = translateVariables(languages, language, { errors: {}, values: {}, ...variables });
      const theme = themeVariables(cookies, request);
      const seen = { ...globals, ...theme, here: variables.here ?? theme.here, language, csrf: token };
      const html = views.render(view, all, seen);
      if (isTooLong(request, reply, html)) throw tooLong;
      return send(reply, language, html, sources);
    },
  };
  const withStepUpIfSignedIn = (auth: Protection, handler: Handler): Handler =>
    auth === 'auth:web' ? withStepUp(handler) : handler;
  return kit;
}

const tooLong = new Problem(413, 'Content Too Large', 'The form contains too much data.', { code: 'body_too_large' });

/** A rejected form repeats the typed values. For anonymous users, the size of this response is limited. */
const isTooLong = ({ caller }: FastifyRequest, { statusCode }: FastifyReply, html: string): boolean =>
  statusCode >= 400 && caller.kind === 'anonymous' && Buffer.byteLength(html) > maxErrorBytes;

/** The variables of a view, with all messages in the reader's language. */
const translateVariables = (languages: Languages, language: string, variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, localizeValue(languages, language, value)]),
  );

function localizeValue(languages: Languages, language: string, value: unknown): unknown {
  if (value instanceof Message) return languages.text(language, value);
  if (Array.isArray(value)) return value.map((item) => localizeValue(languages, language, item));
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? translateVariables(languages, language, { ...value }) : value;
}

/** Common statuses have their own title, and some their own detail. For other statuses, the title says who has to act. */
const titledStatuses = [400, 404, 405, 413, 429, 500, 503];
const detailedStatuses = [404, 405, 500];

/** The variables of the view `error`. */
export function describeError(request: FastifyRequest, status: number, title: string, detail: string, code = '') {
  const name = title === 'Forbidden' ? 'forbidden' : status;
  const defaultTitle = message(status < 500 ? 'error.400.title' : 'error.500.title');
  // A specific title is more helpful than the HTTP phrase of the status.
  const specificTitle = message(
    `error.${code}.title`,
    {},
    isPhrase(status, title) ? defaultTitle : message(title, {}, title),
  );
  const isTitled = name === 'forbidden' || titledStatuses.includes(status);
  const isDetailed = name !== 'forbidden' && detailedStatuses.includes(status);
  return {
    status,
    title: isTitled ? message(`error.${name}.title`) : specificTitle,
    detail: isDetailed ? message(`error.${status}.detail`) : pageProblemMessage(code, detail),
    request_id: request.id,
  };
}

/** RFC 9110 has newer names for two statuses than Node. */
const isPhrase = (status: number, title: string): boolean =>
  title === STATUS_CODES[status] || title === 'Content Too Large' || title === 'Unprocessable Content';
