import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { addLogin, password } from './accounts.ts';
import { press, redirectUri } from './authorizing.ts';
import { request } from './request.ts';
import type { Service } from './service.ts';
import { type Visit, Visitor } from './visitor.ts';

type Texts = Record<string, string | undefined>;
type Tokens = Record<'access_token' | 'id_token' | 'refresh_token', string>;

export interface Client {
  readonly id: string;
  readonly secret?: string;
}

/** The pages that the browser saw after an authorization request, and the response that the application got. */
export interface AuthorizationOutcome {
  /** The pages that asked the user for something. */
  readonly pages: readonly ('login' | 'consent')[];
  readonly login: string;
  readonly consent: string;
  /** The page on which the browser stopped, if the application got no response. */
  readonly last: Visit;
  readonly parameters: Texts;
}

interface SignInOptions {
  /** The browser sends the request by a form. */
  readonly byPost?: boolean;
  /** The parameters of the request in the reverse order. */
  readonly reversed?: boolean;
  /** More parameters of the token request. */
  readonly more?: Texts;
  readonly by?: 'basic' | 'post';
}

export interface SignIn extends AuthorizationOutcome {
  readonly code: string;
  readonly tokens: Tokens;
  readonly claims: JWTPayload & { readonly auth_time?: number };
  readonly alg: string;
}

const unescaped = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
const hiddenFields = ({ html }: Visit): Texts =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name as string,
      unescaped(value as string),
    ]),
  );

/** The application and the browser of the OpenID conformance suite: one client, one user, one response mode. */
export class Conformance {
  readonly service: Service;
  readonly email: string;
  readonly userId: string;
  readonly client: Client;
  readonly mode: 'query' | 'form_post';
  visitor: Visitor;

  constructor(service: Service, user: { email: string; id: string }, client: Client, mode: Conformance['mode']) {
    this.service = service;
    this.email = user.email;
    this.userId = user.id;
    this.client = client;
    this.mode = mode;
    this.visitor = new Visitor(service);
  }

  /** With a user who has a value for every claim that a user can have. */
  static async start(service: Service, client: Client, mode: Conformance['mode'] = 'query'): Promise<Conformance> {
    const user = await addLogin(service);
    const username = `ada-${user.id}`;
    const values = { name: 'Ada Lovelace', username, phone: '+12133734253' };
    await service.context.database.db.updateTable('users').set(values).where('id', '=', user.id).execute();
    return new Conformance(service, user, client, mode);
  }

  /** The same with another client. */
  with(client: Client): Conformance {
    return new Conformance(this.service, { email: this.email, id: this.userId }, client, this.mode);
  }

  /** "Please remove any cookies you may have received." */
  removeCookies(): void {
    this.visitor = new Visitor(this.service);
  }

  query(parameters: Texts = {}): URLSearchParams {
    const all: Texts = {
      client_id: this.client.id,
      redirect_uri: redirectUri,
      scope: 'openid',
      state: randomUUID(),
      nonce: randomUUID(),
      response_type: 'code',
      ...(this.mode === 'form_post' ? { response_mode: 'form_post' } : {}),
      ...parameters,
    };
    return new URLSearchParams(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  /** Sends the browser to the authorization endpoint. The user signs in and agrees on every page that asks. */
  async authorize(parameters: Texts = {}, { byPost = false, reversed = false } = {}): Promise<AuthorizationOutcome> {
    const inOrder = this.query(parameters);
    const query = reversed ? new URLSearchParams([...inOrder].reverse()) : inOrder;
    const first = byPost
      ? await this.visitor.send('/oauth/authorize', Object.fromEntries(query))
      : await this.visitor.get(`/oauth/authorize?${query}`);
    const response = await this.#follow(first, query.get('redirect_uri') ?? redirectUri);
    if (Object.keys(response.parameters).length > 0) {
      const { state, iss } = response.parameters;
      assert.deepEqual([state, iss], [query.get('state') ?? undefined, this.service.context.config.baseUrl]);
    }
    return response;
  }

  async #follow(first: Visit, target: string): Promise<AuthorizationOutcome> {
    const pages: ('login' | 'consent')[] = [];
    let login = '';
    let consent = '';
    let last = first;
    for (let step = 0; step < 10; step++) {
      const { location } = last;
      if (location?.startsWith(target)) {
        assert.equal(this.mode, 'query');
        return { pages, login, consent, last, parameters: Object.fromEntries(new URL(location).searchParams) };
      }
      if (location !== null) last = await this.visitor.get(location);
      else if (last.html.includes(`method="post" action="${target}"`)) {
        assert.equal(this.mode, 'form_post');
        return { pages, login, consent, last, parameters: hiddenFields(last) };
      } else if (last.html.includes('name="password"')) {
        pages.push('login');
        login = last.html;
        const { next = '' } = hiddenFields(last);
        last = await this.visitor.send('/login', { login: this.email, password, next });
      } else if (last.html.includes('action="/oauth/authorize/decision"')) {
        pages.push('consent');
        consent = last.html;
        last = await press(this.visitor, last, 'allow');
      } else return { pages, login, consent, last, parameters: {} };
    }
    throw new Error(`the browser never arrives: ${last.status} ${last.location} ${last.html}`);
  }

  /** Expects an error page and no redirect, so that the application gets no information. */
  async seesErrorPage(parameters: Texts): Promise<void> {
    const { last, parameters: got } = await this.authorize(parameters);
    assert.deepEqual([last.status, last.location, got], [400, null, {}]);
    assert.match(last.headers.get('content-type') ?? '', /^text\/html/);
  }

  token(form: Texts, by: 'basic' | 'post' = 'basic') {
    const { id, secret = '' } = this.client;
    const all = { ...form, ...(by === 'post' ? { client_id: id, client_secret: secret } : {}) };
    const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const authorization = `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;
    return request<Tokens & { error?: string }>(this.service, '/oauth/token', {
      form: Object.fromEntries(sent),
      ...(by === 'basic' ? { headers: { authorization } } : {}),
    });
  }

  redeem = (code: string, more: Texts = {}, by: 'basic' | 'post' = 'basic') =>
    this.token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...more }, by);

  /** The happy flow, with every check of the suite on an ID token and on userinfo. */
  async signIn(parameters: Texts = {}, options: SignInOptions = {}) {
    const nonce = 'nonce' in parameters ? parameters.nonce : randomUUID();
    const response = await this.authorize({ ...parameters, nonce }, options);
    const { code = '' } = response.parameters;
    const { status, body, text, headers } = await this.redeem(code, options.more, options.by);
    assert.equal(status, 200, `${text} ${JSON.stringify(response.parameters)} ${response.last.html}`);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    const { claims, alg } = await this.verify(body.id_token, body.access_token);
    assert.equal(claims.nonce, nonce);
    assert.equal(claims.sub, this.userId);
    assert.equal((await this.userinfo(body.access_token)).sub, this.userId);
    return { ...response, code, tokens: body, claims, alg } as SignIn;
  }

  async verify(token: string, accessToken?: string): Promise<{ claims: SignIn['claims']; alg: string }> {
    const { body } = await request<JSONWebKeySet>(this.service, '/.well-known/jwks.json');
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(body), {
      issuer: this.service.context.config.baseUrl,
      audience: this.client.id,
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
      currentDate: new Date(this.service.context.now()),
    });
    assert.ok(protectedHeader.kid, 'a key set with several keys needs the kid (OpenID Connect Core 10.1)');
    if (accessToken !== undefined) {
      assert.equal(payload.at_hash, hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url'));
    }
    return { claims: payload as SignIn['claims'], alg: protectedHeader.alg };
  }

  async userinfo(token: string): Promise<Record<string, unknown>> {
    const { status, body, text } = await request(this.service, '/oauth/userinfo', { token });
    assert.equal(status, 200, text);
    return body;
  }

  async metadata(): Promise<Record<string, unknown>> {
    const { status, body, headers } = await request(this.service, '/.well-known/openid-configuration');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    return body;
  }
}
