import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../config/brand.ts';
import type { Config } from '../../config/config.ts';
import type { Languages } from '../../config/languages/languages.ts';
import { type Message, message } from '../../config/languages/message.ts';
import type { Context } from '../../database/context.ts';
import type { Database } from '../../database/database.ts';
import type { Protection } from '../../http/app.ts';
import { proofTooOld } from '../../http/gate/require-proof.ts';
import { paramsOf, queryOf } from '../../http/query-of.ts';
import type { SignInProviders } from '../../identity/providers/sign-in-providers.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import type { Caller } from '../../platform/caller.ts';
import { asObject } from '../../platform/is-object.ts';
import { internalTokenOf, type WebSessions } from '../session/authenticate-web.ts';
import { type ApiResponse, callApi, type LoginClient, type Method } from '../session/call-api.ts';
import type { Cookies } from '../session/cookies.ts';
import type { ServeAsset, serveAssets } from './assets.ts';
import type { Variables } from './views.ts';

/** The additional sources that a page needs. */
export interface CspSources {
  /** The possible final targets of its form, as sources of `form-action`. */
  readonly formTargets?: string | undefined;
  /** An image from another origin. */
  readonly image?: string | null | undefined;
  /** For style sheets that a script creates. */
  readonly nonce?: string | undefined;
}

/** The response of a page. */
export type Page = Promise<FastifyReply>;

export type Handler = (pageRequest: PageRequest) => Page;

/** The tools that every page uses. */
export interface PageKit {
  readonly oauth: OAuth;
  readonly config: Config;
  readonly brand: Brand;
  /** The path of BASE_URL, which may be empty. */
  readonly root: string;
  readonly assets: Awaited<ReturnType<typeof serveAssets>>;
  readonly serveAsset: ServeAsset;
  /** The default Content-Security-Policy. */
  readonly policy: string;
  readonly database: Database;
  readonly now: Context['now'];
  readonly cookies: Cookies;
  readonly client: LoginClient;
  readonly webSessions: WebSessions;
  readonly languages: Languages;
  /** The language of a request: the user's choice, or the browser's. */
  languageOf(request: FastifyRequest): Promise<string>;
  readonly providers: SignInProviders;
  /** The path of the login page. */
  readonly loginPath: string;
  /** A GET route for a page. */
  page(path: string, auth: Protection, handler: Handler): void;
  /** A POST route for a form. Rejects forms without a valid CSRF token. */
  form(path: string, auth: Protection, handler: Handler): void;
  /**
   * A POST route for a form without risk. Rejects requests from other sites, but does not check the CSRF token, because
   * an error page may have none.
   */
  formWithoutCsrf(path: string, handler: Handler): void;
  /** Throws unless the form was made for this visitor and one of these sessions. By default: the session of the request. */
  checkForm(request: FastifyRequest, sessionIds?: readonly (string | null)[]): void;
  hasView(name: string): boolean;
  /** Responds with a view. Messages in its variables are translated to the reader's language. */
  show(pageRequest: PageRequest, view: string, variables: Variables, sources?: CspSources): Page;
}

/** A request to a page, and its response. */
export class PageRequest {
  readonly kit: PageKit;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;

  constructor(kit: PageKit, request: FastifyRequest, reply: FastifyReply) {
    this.kit = kit;
    this.request = request;
    this.reply = reply;
  }

  get caller(): Caller {
    return this.request.caller;
  }

  get query(): Readonly<Record<string, string | undefined>> {
    return queryOf(this.request);
  }

  /** The notice after a successful form. `?done=…` names a built-in message, so no text of the URL is shown. */
  get notice(): Message | undefined {
    const key = `notice.${this.query.done}`;
    return this.kit.languages.isBuiltIn(key) ? message(key) : undefined;
  }

  /** A parameter of the path, such as `:id`. */
  param(name: string): string {
    return paramsOf(this.request)[name] ?? '';
  }

  /** The named fields of a form as text, trimmed except for passwords. Other fields are ignored. */
  form<Name extends string>(...names: Name[]): Record<Name, string> {
    const body = asObject(this.request.body);
    const read = (name: Name) => {
      const value = body[name];
      if (typeof value !== 'string') return '';
      return name.includes('password') ? value : value.trim();
    };
    return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
  }

  /** Calls the API like any client. */
  call<T>(method: Method, path: string, body?: Record<string, unknown>) {
    return callApi<T>(this.request, { method, path, body });
  }

  /** Calls the API as the signed-in user. If the API requires a proof, the form asks for it and continues. */
  async callAsUser<T>(method: Method, path: string, body?: Record<string, unknown>, { uncounted = false } = {}) {
    const token = internalTokenOf(this.request);
    const response = await callApi<T>(this.request, { method, path, body, token, uncounted });
    if (response.code === 'proof_too_old') throw proofTooOld(this.caller.proof, response.required);
    return response;
  }

  /** The signed-in user of a public page, if any. */
  findCaller(): Promise<Caller | undefined> {
    return this.kit.webSessions.find(this.request, this.reply);
  }

  /** Sets the status of the response. */
  status(code: number): this {
    this.reply.code(code);
    return this;
  }

  /** Sets the status of a failed call of the API as the status of the page, and the time to wait as its Retry-After header. */
  statusOf({ status, retryAfter }: Pick<ApiResponse<unknown>, 'status' | 'retryAfter'>): this {
    if (retryAfter > 0) this.reply.header('retry-after', String(retryAfter));
    return this.status(status);
  }

  show(view: string, variables: Variables, sources?: CspSources): Page {
    return this.kit.show(this, view, variables, sources);
  }

  /** Redirects to a page of ours. After a form, a reload then does not send the form again. */
  async redirect(path: string, status: 302 | 303 = 303): Promise<FastifyReply> {
    const { root } = this.kit;
    // Paths from other applications have the prefix of BASE_URL. Our own paths do not.
    const target = path.startsWith(`${root}/`) ? path : root + path;
    return this.reply.header('cache-control', 'no-store').redirect(target, status);
  }
}
