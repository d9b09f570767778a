import type { FastifyReply, FastifyRequest, InjectOptions } from 'fastify';
import type { Config } from '../../config/config.ts';
import { readAcceptLanguage } from '../../config/languages/accept-language.ts';
import type { Languages } from '../../config/languages/languages.ts';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { problemMessage } from '../../config/languages/problem-message.ts';
import type { Db } from '../../database/database.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { internalHeader, requestInside, uncountedHeader } from '../../http/internal-request.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { FieldError } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import type { Acr } from '../../platform/proof.ts';
import type { Cookies, Tokens } from './cookies.ts';

/** A response of the API, in the form that a page needs. */
export type ApiResponse<T> = Awaited<ReturnType<typeof callApi<T>>>;

interface Body<T> {
  readonly data?: T;
  readonly meta?: { readonly pagination?: { readonly next_cursor?: string | null } };
  readonly errors?: readonly FieldError[];
  readonly detail?: string;
  readonly error_description?: string;
  readonly code?: string;
  readonly error?: string;
  readonly acr_values?: Acr;
  readonly max_age?: number;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface Call {
  readonly method: Method;
  readonly path: string;
  readonly body?: Record<string, unknown> | undefined;
  /** The access token of the user. */
  readonly token?: string;
  /** A cookie of the browser to pass to the API. */
  readonly cookie?: string;
  /** The call is one of many that serve one request. RATE_LIMIT counts that request only. */
  readonly uncounted?: boolean;
}

/** The pages call the API in the process like any client. So validation, authorization, limits and audit are in one place. */
export async function callApi<T>(request: FastifyRequest, { method, path, body, token, cookie, uncounted }: Call) {
  const headers: Record<string, string> = {
    ...internalHeader,
    ...(uncounted ? uncountedHeader : {}),
    accept: 'application/json',
    'x-request-id': request.id,
  };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (cookie !== undefined) headers.cookie = cookie;
  const userAgent = request.headers['user-agent'];
  if (userAgent) headers['user-agent'] = userAgent;
  const zone = asObject(request.body).time_zone;
  if (typeof zone === 'string' && /^[\w+/-]{1,64}$/.test(zone)) headers['time-zone'] = zone;
  // Mail that the call causes uses the language of the page.
  const language = knownLanguage(request) ?? request.headers['accept-language'];
  if (language) headers['accept-language'] = language;
  const options: InjectOptions = { method, url: path, headers, remoteAddress: request.ip };
  if (body) options.payload = body;
  const response = await requestInside(request.server, options);
  const status = response.statusCode;
  const read = response.body === '' ? {} : response.json<Body<T>>();
  const detail = String(read.detail ?? read.error_description ?? '');
  const code = String(read.code ?? read.error ?? '');
  return {
    ok: status < 400,
    status,
    // Some responses have no envelope.
    data: ('data' in read ? read.data : read) as T,
    nextCursor: read.meta?.pagination?.next_cursor ?? undefined,
    errors: fieldErrors(read.errors),
    /** For the user. */
    message: problemMessage(code, detail),
    /** Of the API. */
    detail,
    code,
    /** Of the error `proof_too_old`. */
    required: { acr: read.acr_values, maxAge: read.max_age },
    /** Seconds. */
    retryAfter: Number(response.headers['retry-after'] ?? 0),
    /** The cookies that the API sets. The page passes them on. */
    cookies: new Map(response.cookies.map(({ name, value }) => [name, value])),
  };
}

function fieldErrors(errors: readonly FieldError[] = []): Record<string, LocalizedText> {
  const byField: Record<string, LocalizedText> = {};
  if (!Array.isArray(errors)) return byField;
  for (const { field, code, message: text, limit = '', values: listed = [] } of errors) {
    const detail = text.startsWith(field) ? nameOf(field) + text.slice(field.length) : text;
    const name = message(`fields.${field}`, {}, nameOf(field));
    const values = { detail, field: name, limit: String(limit), values: listed.join(', ') };
    byField[field] ??= message(`field_error.${field}.${code}`, values, message(`field_error.${code}`, values, detail));
  }
  return byField;
}

/** The messages of the API contain `current_password`. Users read "Current password". */
const nameOf = (field: string): string => (field.charAt(0).toUpperCase() + field.slice(1)).replaceAll('_', ' ');

const languages = new WeakMap<FastifyRequest, { readonly userId: string | null; readonly language: string }>();

/** The language of a page, once it is known. */
const knownLanguage = (request: FastifyRequest): string | undefined => languages.get(request)?.language;

/** The language of a page: the user's choice in the settings or in this browser, otherwise the browser's. */
export function createRequestLanguage(all: Languages, cookies: Cookies) {
  /** Does not use the database, so it also works on error pages when the database is down. */
  const ofBrowser = (request: FastifyRequest): string => {
    const ranges = readAcceptLanguage(request.headers['accept-language']);
    return knownLanguage(request) ?? all.match([cookies.read(request).language, ...ranges]);
  };
  return {
    ofBrowser,
    /** Reads the settings of the signed-in user. */
    async of(request: FastifyRequest, db: Db, userId: string | null): Promise<string> {
      const cached = languages.get(request);
      // A public page can find its caller later.
      if (cached?.userId === userId) return cached.language;
      const user = userId === null ? undefined : await findUser(db, userId);
      const language = all.find([user?.locale]) ?? ofBrowser(request);
      languages.set(request, { userId, language });
      return language;
    },
  };
}

/** The first-party client of the login page: the client for web users, otherwise the console's client. */
export function loginClientOf({ proxiedClients }: Pick<Config, 'proxiedClients'>): string {
  const paths = proxiedClients.map(({ path }) => path);
  // The web admin client always exists.
  return ['web/users', 'web'].find((path) => paths.includes(path)) ?? 'web/admin';
}

export type LoginClient = ReturnType<typeof createLoginClient>;

export function createLoginClient(config: Config) {
  const prefix = `/v1/clients/${loginClientOf(config)}`;
  const knownBrowsers = createBrowserCookie(config);
  return {
    /** Signs in with any method of the proxy. Afterwards the browser is known by its cookie. */
    async send(
      { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
      body: Readonly<Record<string, string>>,
    ) {
      const browserCookie = knownBrowsers.read(request);
      const cookie = browserCookie === undefined ? {} : { cookie: `${knownBrowsers.name}=${browserCookie}` };
      const login = { method: 'POST', path: `${prefix}/login`, body, ...cookie } as const;
      const response = await callApi<Tokens>(request, login);
      const value = response.cookies.get(knownBrowsers.name);
      if (value !== undefined) knownBrowsers.set(reply, value);
      return response;
    },
    refresh: (request: FastifyRequest, refreshToken: string) =>
      callApi<Tokens>(request, { method: 'POST', path: `${prefix}/refresh`, body: { refresh_token: refreshToken } }),
  };
}
