import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Brand, pictureSource, readBrand } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import { type Languages, languagesOf, nameOfLanguage } from '../../config/languages/languages.ts';
import { Message } from '../../config/languages/message.ts';
import type { Context } from '../../database/context.ts';
import type { Database } from '../../database/database.ts';
import type { App, Protection } from '../../http/app.ts';
import { longestRefusal } from '../../http/errors/error-bodies.ts';
import { addVary } from '../../http/gate/caching.ts';
import { findIdentitiesOf } from '../../identity/providers/identity-store.ts';
import type { ProviderButton, Providers } from '../../identity/providers/providers.ts';
import { Problem } from '../../platform/errors.ts';
import { membersOf } from '../../platform/is-object.ts';
import type { WebSessions } from '../session/authenticate-web.ts';
import { type Cookies, createCookies } from '../session/cookies.ts';
import { createCsrf, type Macs } from '../session/csrf.ts';
import { createLoginClient, type LoginClient } from '../session/login-client.ts';
import { RequestLanguage } from '../session/request-language.ts';
import { type AssetUrls, serveAssets } from './assets.ts';
import { describeError } from './describe-error.ts';
import { provingInPlace } from './prove-in-place.ts';
import { pathOf, themeOf } from './theme.ts';
import { createViews, type Variables } from './views.ts';

/** The sources beyond this origin that one page needs. */
export interface Reach {
  /** Where its form may lead in the end, as sources of `form-action`. */
  readonly formTargets?: string | undefined;
  /** An image of somebody else's. */
  readonly image?: string | null | undefined;
}

/** Styles and scripts come from this origin's own files and nowhere else; nothing inline runs. */
const contentSecurityPolicy = (brand: Brand, { formTargets, image }: Reach = {}): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `img-src 'self' data:${pictureSource(brand)}${image ? ` ${new URL(image).origin}` : ''}`,
    "font-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTargets ? ` ${formTargets}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The tools that every page uses. */
export interface PageKit {
  readonly config: Config;
  readonly brand: Brand;
  readonly logo: string;
  /** The values for a page without a view. */
  readonly frame: PageFrame;
  /** The Content-Security-Policy of pages that need nothing from elsewhere. */
  readonly policy: string;
  readonly database: Database;
  readonly now: Context['now'];
  readonly cookies: Cookies;
  readonly client: LoginClient;
  readonly webSessions: WebSessions;
  readonly languages: Languages;
  /** The language of a request: the person's choice, else the browser's. */
  languageOf(request: FastifyRequest): Promise<string>;
  /** The providers at which this user can prove who they are. */
  proversOf(userId: string | null): Promise<readonly ProviderButton[]>;
  /** Where people without a session are sent. */
  readonly loginPath: string;
  /** A page by GET. */
  page(path: string, auth: Protection, handler: Handler): void;
  /** A POST route for a form. Refused unless the form is ours (CSRF token). */
  form(path: string, auth: Protection, handler: Handler): void;
  /** A POST route for a harmless form. Refused from other sites, but its CSRF token is not checked: error pages have none. */
  looseForm(path: string, handler: Handler): void;
  /** Refuses a form that is not ours, for this visitor and this session. */
  checkForm(request: FastifyRequest): void;
  hasView(name: string): boolean;
  /** Answers with a view. Messages among its variables are said in the reader's language. */
  show(
    request: FastifyRequest,
    reply: FastifyReply,
    view: string,
    variables: Variables,
    reach?: Reach,
  ): Promise<FastifyReply>;
  /** Sends the browser to a page of ours; after a form, so that a reload does not send it again. */
  go(reply: FastifyReply, path: string, status?: 302 | 303): Promise<FastifyReply>;
}

interface PageFrame {
  readonly root: string;
  readonly product: string;
  readonly loginPath: string;
  readonly assets: AssetUrls;
}

interface Means {
  readonly providers: Providers;
  readonly keys: Macs;
  readonly webSessions: WebSessions;
}

export async function createPageKit(
  app: App,
  context: Context,
  { keys, webSessions, providers }: Means,
): Promise<PageKit> {
  const { config, database, now } = context;
  // BASE_URL may have a path of its own, which a proxy in front takes off.
  const root = new URL(config.baseUrl).pathname.replace(/\/$/, '');
  const brand = readBrand(config);
  const policy = contentSecurityPolicy(brand);
  const assets = await serveAssets(app, config, brand, root);
  const cookies = createCookies(config);
  const csrf = createCsrf(config, keys, cookies);
  const languages = languagesOf(config);
  const views = createViews(config, languages);
  const requestLanguage = new RequestLanguage(languages, cookies);
  const languageOf = (request: FastifyRequest) => requestLanguage.of(request, database.db);
  const loginPath = `/${config.loginPageUrl}`;
  const local_passwords = config.localPasswords;
  const can_register = config.registration === 'open';
  const choices = languages.list.map((tag) => ({
    tag,
    // When a page shows it: the names of languages take 30 ms to load.
    get name() {
      return nameOfLanguage(tag);
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

  const send = (reply: FastifyReply, language: string, html: string, reach?: Reach): FastifyReply =>
    addVary(reply, 'accept-language')
      .header('content-language', language)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', reach ? contentSecurityPolicy(brand, reach) : policy)
      // With `no-referrer` browsers would send `Origin: null` with the page's own forms (Fetch, "append a request Origin header").
      // Never with the path: behind a mailed link it holds a secret.
      .header('referrer-policy', 'strict-origin')
      .header('cache-control', 'no-store')
      .send(html);

  app.errorPage = async (reply, status, title, detail, code) => {
    const { request } = reply;
    const language = requestLanguage.ofBrowser(request);
    const variables = spoken(languages, language, describeError(request, status, title, detail, code));
    // The path without its query, because the query may have caused the error.
    const here = pathOf(request);
    const seen = { ...globals, ...themeOf(cookies, request), here, language };
    return send(reply.code(status), language, views.render('error', variables, seen));
  };

  /** Handlers call the API in the reader's language. */
  const inLanguage =
    (handler: Handler): Handler =>
    async (request, reply) => {
      await languageOf(request);
      return handler(request, reply);
    };
  const options = (auth: Protection) => ({ config: { auth, errors: 'page' as const }, schema: { hide: true } });
  const kit: PageKit = {
    config,
    brand,
    logo: assets.logo,
    frame: { root, product: brand.name, loginPath, assets },
    policy,
    database,
    now,
    cookies,
    client: createLoginClient(config),
    webSessions,
    languages,
    languageOf,
    loginPath,
    async proversOf(userId) {
      const linked = userId === null ? [] : await findIdentitiesOf(database.db, userId);
      const names = new Set(linked.map(({ provider }) => provider));
      return (await providers.buttons()).filter(({ name }) => names.has(name));
    },
    page(path, auth, handler) {
      app.get(path, options(auth), inLanguage(handler));
    },
    form(path, auth, handler) {
      app.post(
        path,
        { ...options(auth), preHandler: async (request) => csrf.check(request) },
        inLanguage(proving(auth, handler)),
      );
    },
    looseForm(path, handler) {
      app.post(path, { ...options('public'), preHandler: async (request) => csrf.checkOrigin(request) }, handler);
    },
    checkForm: (request) => csrf.check(request),
    hasView: views.has,
    async show(request, reply, view, variables, reach) {
      const token = csrf.token(request, reply);
      const language = await languageOf(request);
      const all = spoken(languages, language, { errors: {}, values: {}, ...variables });
      const seen = { ...globals, ...themeOf(cookies, request), language, csrf: token };
      const html = views.render(view, all, seen);
      if (isTooLong(request, reply, html)) throw tooLong;
      return send(reply, language, html, reach);
    },
    go: async (reply, path, status = 303) => {
      // A page of another application names it with the prefix of BASE_URL; pages here name it without.
      const target = path.startsWith(`${root}/`) ? path : root + path;
      return reply.header('cache-control', 'no-store').redirect(target, status);
    },
  };
  const proving = (auth: Protection, handler: Handler): Handler =>
    auth === 'auth:web' ? provingInPlace(kit, handler) : handler;
  return kit;
}

const tooLong = new Problem(413, 'Content Too Large', 'The form holds more than its fields can take.', {
  code: 'body_too_large',
});

/** A refused form comes back with what was typed: to nobody in particular, not with all that somebody may send. */
const isTooLong = ({ caller }: FastifyRequest, { statusCode }: FastifyReply, html: string): boolean =>
  statusCode >= 400 && caller.kind === 'anonymous' && Buffer.byteLength(html) > longestRefusal;

/** The named fields of a form as text, trimmed but for passwords; whatever else was sent is left alone. */
export function readForm<Name extends string>({ body }: FastifyRequest, ...names: Name[]): Record<Name, string> {
  const sent = membersOf(body);
  const read = (name: Name) => {
    const value = sent[name];
    if (typeof value !== 'string') return '';
    return name.includes('password') ? value : value.trim();
  };
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
}

export const queryOf = (request: FastifyRequest): Record<string, string | undefined> =>
  request.query as Record<string, string | undefined>;

/** The variables of a view with every message in them in the reader's language. */
const spoken = (languages: Languages, language: string, variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, speak(languages, language, value)]));

function speak(languages: Languages, language: string, value: unknown): unknown {
  if (value instanceof Message) return languages.text(language, value);
  if (Array.isArray(value)) return value.map((item) => speak(languages, language, item));
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? spoken(languages, language, { ...value }) : value;
}
