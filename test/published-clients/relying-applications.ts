import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { signedIn } from '../harness/authorizing.ts';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';
import { WebBrowser } from './web-browser.ts';

/** The tokens of a client, for the refresh and the logout if the client supports neither. */
interface Tokens {
  readonly refresh_token: string;
  readonly id_token: string;
}

/** An application that uses a client. */
export interface Application {
  readonly url: string;
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly keep: (tokens: Tokens) => void;
}

type Person = Awaited<ReturnType<typeof signedIn>>;

const name = 'Ada Lovelace';

/** Applications on separate ports that users sign in to. */
export class RelyingApplications {
  readonly #service: Service;
  readonly #held = new Map<string, Tokens & { client_id: string; client_secret: string }>();
  readonly #closing: (() => void)[] = [];

  constructor(service: Service) {
    this.#service = service;
  }

  /** An application that is registered with the redirect path of its library. Returns its URL. */
  async serve(
    callback: string,
    make: (application: Application) => RequestListener | Promise<RequestListener>,
  ): Promise<string> {
    let handler: RequestListener = (_request, response) => response.end();
    const server = createServer((request, response) =>
      request.url === '/signed-out' ? response.end('signed out') : handler(request, response),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const redirectUri = `${url}${callback}`;
    const { id, secret = '' } = await addApplication(this.#service, {
      ...{
        trusted: true,
        scopes: identityScopes,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [url, `${url}/signed-out`],
      },
    });
    const keep = ({ refresh_token, id_token }: Tokens) =>
      void this.#held.set(url, { refresh_token, id_token, client_id: id, client_secret: secret });
    handler = await make({ url, id, secret, redirectUri, keep });
    return url;
  }

  close(): void {
    for (const close of this.#closing) close();
  }

  /** A signed-in user, and the user's browser. */
  async person(): Promise<{ who: Person; visitor: WebBrowser }> {
    const who = await signedIn(this.#service, { name });
    return { who, visitor: new WebBrowser(new Map([[new URL(this.#service.url).host, who.visitor.cookies]])) };
  }

  /** Opens the application, which shows the name and the email of the user. */
  async signIn(address: string): Promise<{ who: Person; visitor: WebBrowser; text: string }> {
    const { who, visitor } = await this.person();
    const { status, text } = await visitor.visit(address);
    assert.equal(status, 200, text);
    this.shows(text, who);
    return { who, visitor, text };
  }

  shows(text: string, who: Person): void {
    assert.ok(text.includes(who.email) && text.includes(name), text);
  }

  /** Opens a URL that signs the browser out. */
  async signOut(visitor: WebBrowser, logout: string): Promise<void> {
    await visitor.visit(logout);
    const { text } = await visitor.visit(`${this.#service.url}/settings`);
    assert.match(text, /name="password"/, 'the login page appears, because the session has ended');
  }

  /** For a client that supports neither: with its tokens. */
  async refreshAndSignOut(url: string, who: Person, visitor: WebBrowser): Promise<void> {
    const { id_token, ...form } = this.#held.get(url) ?? assert.fail('the client got no tokens');
    const refresh = () =>
      request<Tokens>(this.#service, '/oauth/token', { form: { ...form, grant_type: 'refresh_token' } });
    const { body, text } = await refresh();
    assert.ok(body.id_token, text);
    const claims = decodeJwt(body.id_token);
    assert.deepEqual([claims.name, claims.email], [name, who.email]);
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: `${url}/signed-out` });
    await this.signOut(visitor, `${this.#service.url}/oauth/logout?${query}`);
    assert.equal((await refresh()).status, 400, 'the session of the application has ended too');
  }
}
