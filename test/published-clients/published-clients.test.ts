import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Service, services } from '../harness/service.ts';
import { authJs, nextAuth } from './auth-js-handlers.ts';
import { bringClients } from './bring-clients.ts';
import { RelyingApplications } from './relying-applications.ts';

// biome-ignore lint/suspicious/noExplicitAny: these packages come without types here, as scripts use them.
type Any = any;

const scope = 'openid profile email offline_access';

/**
 * Clients as in their documentation, with default settings. Each shows the name and the email of the user. Each
 * refreshes and signs out, or its tokens are used for that.
 */
describe('Published clients with their defaults', { timeout: 300_000 }, () => {
  const start = services('sqlite');
  let service: Service;
  let issuer: string;
  let bring: NodeJS.Require | undefined;
  let applications: RelyingApplications;
  before(async () => {
    bring = await bringClients();
    service = await start();
    issuer = service.context.config.baseUrl;
    applications = new RelyingApplications(service);
  });
  after(() => applications.close());

  const expressApp = (need: NodeJS.Require) => {
    const express = need('express');
    const app = express();
    app.use(need('express-session')({ secret: 'a secret', resave: false, saveUninitialized: false }));
    return app;
  };
  const client = (name: string, run: (need: NodeJS.Require) => Promise<void>) =>
    it(name, async (test) => {
      if (!bring) return test.skip('the registry cannot be reached');
      await run(bring);
    });
  /** Signs in at the URL, then refreshes and signs out with the tokens of the client. */
  const endsWell = async (url: string, path = '') => {
    const { who, visitor } = await applications.signIn(`${url}${path}`);
    await applications.refreshAndSignOut(url, who, visitor);
  };
  const endpoints = () => ({
    authorizationURL: `${issuer}/oauth/authorize`,
    tokenURL: `${issuer}/oauth/token`,
    userInfoURL: `${issuer}/oauth/userinfo`,
  });
  const userinfo = async (accessToken: string) =>
    (await fetch(`${issuer}/oauth/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })).json();

  client('openid-client 5', async (need) => {
    const { Issuer } = need('openid-client-5');
    const url = await applications.serve('/cb', async ({ url: own, id, secret, redirectUri }) => {
      const { Client } = await Issuer.discover(issuer);
      const relying = new Client({ client_id: id, client_secret: secret, redirect_uris: [redirectUri] });
      return async (request, response) => {
        if (!request.url?.startsWith('/cb')) {
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
    const { visitor, text } = await applications.signIn(url);
    await applications.signOut(visitor, (JSON.parse(text) as { logout: string }).logout);
  });

  client('passport-openidconnect', async (need) => {
    const url = await applications.serve('/cb', ({ id, secret, redirectUri, keep }) => {
      const passport = new (need('passport').Passport)();
      const Strategy = need('passport-openidconnect');
      const options = {
        ...{ issuer, ...endpoints(), clientID: id, clientSecret: secret, callbackURL: redirectUri },
        scope: ['profile', 'email', 'offline_access'],
      };
      // The library counts the parameters of this function.
      const verify = (
        _issuer: Any,
        profile: Any,
        _idProfile: Any,
        _context: Any,
        id_token: string,
        _accessToken: string,
        refresh_token: string,
        _params: Any,
        done: Any,
      ) => {
        keep({ id_token, refresh_token });
        done(null, profile);
      };
      passport.use(new Strategy(options, verify));
      const app = expressApp(need);
      const authenticate = passport.authenticate('openidconnect', { session: false });
      app.get('/', authenticate);
      app.get('/cb', authenticate, (request: Any, response: Any) => response.json(request.user));
      return app;
    });
    await endsWell(url);
  });

  client('passport-oauth2', async (need) => {
    const url = await applications.serve('/cb', ({ id, secret, redirectUri, keep }) => {
      const passport = new (need('passport').Passport)();
      const { Strategy } = need('passport-oauth2');
      const options = {
        ...{ ...endpoints(), clientID: id, clientSecret: secret, callbackURL: redirectUri, scope, state: true },
      };
      const found = async (accessToken: string, refresh_token: string, params: Any, _profile: Any, done: Any) => {
        keep({ ...params, refresh_token });
        done(null, await userinfo(accessToken));
      };
      passport.use(new Strategy(options, found));
      const app = expressApp(need);
      const authenticate = passport.authenticate('oauth2', { session: false });
      app.get('/', authenticate);
      app.get('/cb', authenticate, (request: Any, response: Any) => response.json(request.user));
      return app;
    });
    await endsWell(url);
  });

  client('grant', async (need) => {
    const url = await applications.serve('/connect/gatehouse/callback', ({ url: origin, id, secret, keep }) => {
      const app = expressApp(need);
      const gatehouse = {
        ...{ authorize_url: `${issuer}/oauth/authorize`, access_url: `${issuer}/oauth/token`, oauth: 2 },
        ...{ profile_url: `${issuer}/oauth/userinfo`, key: id, secret, scope: scope.split(' '), callback: '/hello' },
        response: ['tokens', 'profile'],
      };
      app.use(need('grant').express({ defaults: { origin, transport: 'session' }, gatehouse }));
      app.get('/hello', (request: Any, response: Any) => {
        keep(request.session.grant.response);
        response.json(request.session.grant.response.profile);
      });
      return app;
    });
    await endsWell(url, '/connect/gatehouse');
  });

  client('express-openid-connect', async (need) => {
    const { auth } = need('express-openid-connect');
    const url = await applications.serve('/callback', ({ url: baseURL, id, secret }) => {
      const app = need('express')();
      const authorizationParams = { response_type: 'code', scope };
      const secrets = { secret: 'a long, long secret of this application', clientSecret: secret };
      app.use(auth({ idpLogout: true, issuerBaseURL: issuer, baseURL, clientID: id, ...secrets, authorizationParams }));
      app.get('/', async (request: Any, response: Any) => {
        const { access_token } = await request.oidc.accessToken.refresh();
        response.json({ ...request.oidc.user, ...((await userinfo(access_token)) as object) });
      });
      return app;
    });
    const { visitor } = await applications.signIn(url);
    await applications.signOut(visitor, `${url}/logout`);
  });

  /** Both store the tokens in a callback, and sign out only of the application itself. */
  const callbacks = (keep: (tokens: Any) => void) => ({
    jwt: ({ token, account }: Any) => {
      if (account) keep(account);
      return token;
    },
  });
  const endsWellAt = async (url: string, base: string) => {
    const { who, visitor } = await applications.person();
    const { csrfToken } = JSON.parse((await visitor.visit(`${base}/csrf`)).text);
    const form = new URLSearchParams({ csrfToken, callbackUrl: `${base}/session` });
    applications.shows((await visitor.visit(`${base}/signin/gatehouse`, form)).text, who);
    await applications.refreshAndSignOut(url, who, visitor);
  };

  client('next-auth 4', async (need) => {
    const { AuthHandler } = need(join(dirname(need.resolve('next-auth')), 'core'));
    const url = await applications.serve('/api/auth/callback/gatehouse', ({ url: host, id, secret, keep }) => {
      const wellKnown = `${issuer}/.well-known/openid-configuration`;
      const provider = {
        ...{ id: 'gatehouse', name: 'Gatehouse', type: 'oauth', wellKnown, clientId: id, clientSecret: secret },
        ...{ idToken: true, checks: ['pkce', 'state'], authorization: { params: { scope } } },
        profile: (claims: Any) => ({ id: claims.sub, name: claims.name, email: claims.email }),
      };
      return nextAuth(AuthHandler, host, { providers: [provider], secret: 'a secret', callbacks: callbacks(keep) });
    });
    await endsWellAt(url, `${url}/api/auth`);
  });

  client('Auth.js', async (need) => {
    const home = join(dirname(need.resolve('grant/package.json')), '..', 'auth-core', 'index.js');
    const { Auth } = (await import(pathToFileURL(home).href)) as Any;
    const url = await applications.serve('/auth/callback/gatehouse', ({ url: host, id, secret, keep }) => {
      const provider = {
        ...{ id: 'gatehouse', name: 'Gatehouse', type: 'oidc', issuer, clientId: id, clientSecret: secret },
        authorization: { params: { scope } },
      };
      const config = { providers: [provider], secret: 'a secret', trustHost: true, basePath: '/auth' };
      return authJs(Auth, host, { ...config, callbacks: callbacks(keep) });
    });
    await endsWellAt(url, `${url}/auth`);
  });
});
