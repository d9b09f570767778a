import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { signedIn } from '../harness/authorizing.ts';
import { type Service, services } from '../harness/service.ts';
import { bringClients } from './bring-clients.ts';
import { WebBrowser } from './web-browser.ts';

// biome-ignore lint/suspicious/noExplicitAny: these packages come without types here, as scripts use them.
type Any = any;

/** Clients as their documents tell to use them, with their default settings. Each shows the name and the email of who signed in. */
describe('Published clients with their defaults', { timeout: 300_000 }, () => {
  const start = services('sqlite');
  let service: Service;
  let issuer: string;
  let bring: NodeJS.Require | undefined;
  let person: Awaited<ReturnType<typeof signedIn>>;
  const closing: (() => void)[] = [];
  before(async () => {
    bring = await bringClients();
    service = await start();
    issuer = service.context.config.baseUrl;
    person = await signedIn(service, { name: 'Ada Lovelace' });
  });
  after(() => {
    for (const close of closing) close();
  });

  /** An application on a port of its own, registered with the path that its library comes back to. */
  async function serve(callback: string, make: (app: Any) => RequestListener | Promise<RequestListener>) {
    let handler: RequestListener = (_request, response) => response.end();
    const server = createServer((request, response) => handler(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const redirectUris = [`${url}${callback}`];
    const { id, secret } = await addApplication(service, {
      ...{ trusted: true, scopes: identityScopes, redirectUris, postLogoutRedirectUris: [url] },
    });
    handler = await make({ url, id, secret, redirectUri: redirectUris[0] });
    return url;
  }

  const browser = (who = person) => new WebBrowser(new Map([[new URL(service.url).host, who.visitor.cookies]]));
  const expressApp = (need: NodeJS.Require) => {
    const express = need('express');
    const app = express();
    app.use(need('express-session')({ secret: 'a secret', resave: false, saveUninitialized: false }));
    return app;
  };
  const signsIn = async (address: string, who = person) => {
    const visitor = browser(who);
    const { text, status } = await visitor.visit(address);
    assert.equal(status, 200, text);
    assert.ok(text.includes(who.email) && text.includes('Ada Lovelace'), text);
    return { browser: visitor, text };
  };
  /** Somebody who will be signed out: the others stay signed in. */
  const another = () => signedIn(service, { name: 'Ada Lovelace' });
  const signsOut = async (visitor: WebBrowser, address: string, home: string) => {
    await visitor.visit(address);
    const { text } = await visitor.visit(home);
    assert.match(text, /name="password"/, 'the login page, since nobody is signed in here any more');
  };
  const client = (name: string, run: (need: NodeJS.Require) => Promise<void>) =>
    it(name, async (test) => {
      if (!bring) return test.skip('the registry cannot be reached');
      await run(bring);
    });

  client('openid-client 5', async (need) => {
    const { Issuer } = need('openid-client-5');
    const url = await serve('/cb', async ({ url: own, id, secret, redirectUri }) => {
      const { Client } = await Issuer.discover(issuer);
      const relying = new Client({ client_id: id, client_secret: secret, redirect_uris: [redirectUri] });
      return async (request, response) => {
        if (!request.url?.startsWith('/cb')) {
          const scope = 'openid email profile offline_access';
          response.writeHead(302, { location: relying.authorizationUrl({ scope }) }).end();
          return;
        }
        const tokens = await relying.callback(redirectUri, relying.callbackParams(request));
        const refreshed = await relying.refresh(tokens.refresh_token);
        const info = await relying.userinfo(refreshed);
        const logout = relying.endSessionUrl({ id_token_hint: tokens.id_token, post_logout_redirect_uri: own });
        response.end(JSON.stringify({ ...tokens.claims(), ...info, logout }));
      };
    });
    const visitor = await signsIn(url, await another());
    const { logout } = JSON.parse(visitor.text) as { logout: string };
    await signsOut(visitor.browser, logout, url);
  });

  client('passport-openidconnect', async (need) => {
    const url = await serve('/cb', ({ id, secret, redirectUri }) => {
      const { Passport } = need('passport');
      const passport = new Passport();
      const Strategy = need('passport-openidconnect');
      const options = {
        issuer,
        authorizationURL: `${issuer}/oauth/authorize`,
        tokenURL: `${issuer}/oauth/token`,
        userInfoURL: `${issuer}/oauth/userinfo`,
        ...{ clientID: id, clientSecret: secret, callbackURL: redirectUri, scope: ['email', 'profile'] },
      };
      passport.use(new Strategy(options, (_issuer: Any, profile: Any, done: Any) => done(null, profile)));
      const app = expressApp(need);
      app.get('/', passport.authenticate('openidconnect', { session: false }));
      app.get('/cb', passport.authenticate('openidconnect', { session: false }), (request: Any, response: Any) =>
        response.json(request.user),
      );
      return app;
    });
    await signsIn(url);
  });

  client('passport-oauth2', async (need) => {
    const url = await serve('/cb', ({ id, secret, redirectUri }) => {
      const { Passport } = need('passport');
      const passport = new Passport();
      const { Strategy } = need('passport-oauth2');
      const options = {
        ...{ authorizationURL: `${issuer}/oauth/authorize`, tokenURL: `${issuer}/oauth/token` },
        ...{
          clientID: id,
          clientSecret: secret,
          callbackURL: redirectUri,
          scope: ['openid', 'profile', 'email'],
          state: true,
        },
      };
      const found = async (accessToken: string, _refresh: string, _profile: Any, done: Any) => {
        const headers = { authorization: `Bearer ${accessToken}` };
        done(null, await (await fetch(`${issuer}/oauth/userinfo`, { headers })).json());
      };
      passport.use(new Strategy(options, found));
      const app = expressApp(need);
      app.get('/', passport.authenticate('oauth2', { session: false }));
      app.get('/cb', passport.authenticate('oauth2', { session: false }), (request: Any, response: Any) =>
        response.json(request.user),
      );
      return app;
    });
    await signsIn(url);
  });

  client('grant', async (need) => {
    const url = await serve('/connect/gatehouse/callback', ({ url: origin, id, secret }) => {
      const app = expressApp(need);
      const gatehouse = {
        ...{ authorize_url: `${issuer}/oauth/authorize`, access_url: `${issuer}/oauth/token`, oauth: 2 },
        ...{
          profile_url: `${issuer}/oauth/userinfo`,
          key: id,
          secret,
          scope: ['openid', 'profile', 'email'],
          callback: '/hello',
        },
        ...{ response: ['tokens', 'profile'], scope_delimiter: ' ' },
      };
      app.use(need('grant').express({ defaults: { origin, transport: 'session' }, gatehouse }));
      app.get('/hello', (request: Any, response: Any) => response.json(request.session.grant.response));
      return app;
    });
    await signsIn(`${url}/connect/gatehouse`);
  });

  client('express-openid-connect', async (need) => {
    const { auth } = need('express-openid-connect');
    const url = await serve('/callback', ({ url: baseURL, id, secret }) => {
      const app = need('express')();
      const authorizationParams = { response_type: 'code', scope: 'openid profile email' };
      const secrets = { secret: 'a long, long secret of this application', clientSecret: secret };
      app.use(auth({ idpLogout: true, issuerBaseURL: issuer, baseURL, clientID: id, ...secrets, authorizationParams }));
      app.get('/', (request: Any, response: Any) => response.json(request.oidc.user));
      return app;
    });
    const { browser: visitor } = await signsIn(url, await another());
    await signsOut(visitor, `${url}/logout`, url);
  });

  client('next-auth 4', async (need) => {
    const { AuthHandler } = need(join(dirname(need.resolve('next-auth')), 'core'));
    const url = await serve('/api/auth/callback/gatehouse', ({ url: host, id, secret }) => {
      const provider = {
        ...{
          id: 'gatehouse',
          name: 'Gatehouse',
          type: 'oauth',
          wellKnown: `${issuer}/.well-known/openid-configuration`,
        },
        ...{ clientId: id, clientSecret: secret, idToken: true, checks: ['pkce', 'state'] },
        authorization: { params: { scope: 'openid email profile' } },
        profile: (claims: Any) => ({ id: claims.sub, name: claims.name, email: claims.email }),
      };
      return nextAuth(AuthHandler, { host, options: { providers: [provider], secret: 'a secret' } });
    });
    const visitor = browser();
    const { csrfToken } = JSON.parse((await visitor.visit(`${url}/api/auth/csrf`)).text);
    const form = new URLSearchParams({ csrfToken, callbackUrl: `${url}/api/auth/session` });
    const { text } = await visitor.visit(`${url}/api/auth/signin/gatehouse`, form);
    assert.ok(text.includes(person.email) && text.includes('Ada Lovelace'), text);
  });

  client('Auth.js', async (need) => {
    const home = join(dirname(need.resolve('grant/package.json')), '..', 'auth-core', 'index.js');
    const { Auth } = (await import(pathToFileURL(home).href)) as Any;
    const url = await serve('/auth/callback/gatehouse', ({ url: host, id, secret }) => {
      const provider = { id: 'gatehouse', name: 'Gatehouse', type: 'oidc', issuer, clientId: id, clientSecret: secret };
      const config = { providers: [provider], secret: 'a secret', trustHost: true, basePath: '/auth' };
      return async (request, response) => {
        let sent = '';
        for await (const chunk of request) sent += chunk;
        const { method = 'GET', headers } = request;
        const asked = new Request(new URL(request.url ?? '', host), {
          ...{ method, headers: headers as Record<string, string> },
          ...(sent === '' ? {} : { body: sent }),
        });
        const answer: Response = await Auth(asked, config);
        for (const cookie of answer.headers.getSetCookie()) response.appendHeader('set-cookie', cookie);
        const location = answer.headers.get('location');
        response.writeHead(answer.status, location ? { location } : {}).end(await answer.text());
      };
    });
    const visitor = browser();
    const { csrfToken } = JSON.parse((await visitor.visit(`${url}/auth/csrf`)).text);
    const form = new URLSearchParams({ csrfToken, callbackUrl: `${url}/auth/session` });
    const { text } = await visitor.visit(`${url}/auth/signin/gatehouse`, form);
    assert.ok(text.includes(person.email) && text.includes('Ada Lovelace'), text);
  });
});

/** What its adapter for a framework does. */
const nextAuth =
  (AuthHandler: Any, { host, options }: { host: string; options: object }): RequestListener =>
  async (request, response) => {
    let sent = '';
    for await (const chunk of request) sent += chunk;
    const url = new URL(request.url ?? '', host);
    const [action, providerId] = url.pathname.replace('/api/auth/', '').split('/');
    const cookies = Object.fromEntries(
      (request.headers.cookie ?? '')
        .split('; ')
        .filter(Boolean)
        .map((pair) => [pair.slice(0, pair.indexOf('=')), decodeURIComponent(pair.slice(pair.indexOf('=') + 1))]),
    );
    const asked = {
      ...{ action, providerId, method: request.method, headers: request.headers, cookies, origin: host },
      ...{ query: Object.fromEntries(url.searchParams), body: Object.fromEntries(new URLSearchParams(sent)) },
    };
    process.env.NEXTAUTH_URL = host;
    const answer = await AuthHandler({ req: asked, options });
    for (const { name, value, options: attributes } of answer.cookies ?? []) {
      const ends = attributes.maxAge === 0 ? '; Max-Age=0' : '';
      response.appendHeader('set-cookie', `${name}=${encodeURIComponent(value)}; Path=/${ends}`);
    }
    for (const { key, value } of answer.headers ?? []) response.setHeader(key, value);
    if (answer.redirect) response.writeHead(302, { location: answer.redirect }).end();
    else response.writeHead(answer.status ?? 200).end(JSON.stringify(answer.body ?? ''));
  };
