import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Service, services } from '../harness/service.ts';
import { authJs } from './auth-js-handlers.ts';
import { bringClients } from './bring-clients.ts';
import { type Application, RelyingApplications } from './relying-applications.ts';

// biome-ignore lint/suspicious/noExplicitAny: these packages come without types here, as scripts use them.
type Any = any;

const scopes = ['openid', 'profile', 'email', 'offline_access'];

/** Clients that support OAuth 2.0 without ID tokens, with their default settings. */
describe('Published OAuth clients with their defaults', { timeout: 300_000 }, () => {
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

  const userinfo = async (accessToken: string) =>
    (await fetch(`${issuer}/oauth/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })).json();
  const client = (name: string, run: (need: NodeJS.Require) => Promise<void>) =>
    it(name, async (test) => {
      if (!bring) return test.skip('the registry cannot be reached');
      await run(bring);
    });

  /** An application that gets the authorization URL from its library, and gives it the URL of the redirect back. */
  const asks =
    (begin: () => string | URL | Promise<string | URL>, end: (back: URL) => Promise<unknown>, { url }: Application) =>
    async (request: IncomingMessage, response: ServerResponse) => {
      try {
        if (!request.url?.startsWith('/cb')) response.writeHead(302, { location: String(await begin()) }).end();
        else response.end(JSON.stringify(await end(new URL(request.url, url))));
      } catch (error) {
        response.writeHead(500).end(String(error));
      }
    };
  const endsWell = async (
    make: (application: Application) => RequestListener | Promise<RequestListener>,
    path?: string,
  ) => {
    const url = await applications.serve(path ?? '/cb', make);
    const { who, visitor } = await applications.signIn(url + (path ?? ''));
    await applications.refreshAndSignOut(url, who, visitor);
  };

  client('simple-oauth2', async (need) => {
    const { AuthorizationCode } = need('simple-oauth2');
    await endsWell((app) => {
      const code = new AuthorizationCode({ client: { id: app.id, secret: app.secret }, auth: { tokenHost: issuer } });
      const asked = { redirect_uri: app.redirectUri, scope: scopes };
      const end = async (back: URL) => {
        const token = await code.getToken({ ...asked, code: back.searchParams.get('code') });
        const refreshed = await token.refresh();
        app.keep(refreshed.token);
        return userinfo(refreshed.token.access_token);
      };
      return asks(() => code.authorizeURL({ ...asked, state: 'a state' }), end, app);
    });
  });

  client('client-oauth2', async (need) => {
    const ClientOAuth2 = need('client-oauth2');
    await endsWell((app) => {
      const auth = new ClientOAuth2({
        ...{ clientId: app.id, clientSecret: app.secret, redirectUri: app.redirectUri, scopes },
        ...{ accessTokenUri: `${issuer}/oauth/token`, authorizationUri: `${issuer}/oauth/authorize` },
      });
      const end = async (back: URL) => {
        const token = await auth.code.getToken(back.href);
        const refreshed = await token.refresh();
        app.keep(refreshed.data);
        return userinfo(refreshed.accessToken);
      };
      return asks(() => auth.code.getUri(), end, app);
    });
  });

  client('@badgateway/oauth2-client', async (need) => {
    const { OAuth2Client, generateCodeVerifier } = need('@badgateway/oauth2-client');
    await endsWell((app) => {
      const auth = new OAuth2Client({ server: issuer, clientId: app.id, clientSecret: app.secret });
      let codeVerifier: string;
      const { redirectUri } = app;
      const begin = async () => {
        codeVerifier = await generateCodeVerifier();
        return auth.authorizationCode.getAuthorizeUri({ redirectUri, state: 'a state', codeVerifier, scope: scopes });
      };
      const end = async (back: URL) => {
        const asked = { redirectUri, state: 'a state', codeVerifier };
        const token = await auth.authorizationCode.getTokenFromCodeRedirect(back.href, asked);
        const refreshed = await auth.refreshToken(token);
        app.keep({ refresh_token: refreshed.refreshToken, id_token: refreshed.idToken ?? token.idToken });
        return userinfo(refreshed.accessToken);
      };
      return asks(begin, end, app);
    });
  });

  client('arctic', async (need) => {
    const { OAuth2Client, CodeChallengeMethod, generateState, generateCodeVerifier } = need('arctic');
    await endsWell((app) => {
      const auth = new OAuth2Client(app.id, app.secret, app.redirectUri);
      const [state, verifier] = [generateState(), generateCodeVerifier()];
      const { S256 } = CodeChallengeMethod;
      const begin = () =>
        auth.createAuthorizationURLWithPKCE(`${issuer}/oauth/authorize`, state, S256, verifier, scopes);
      const end = async (back: URL) => {
        const code = back.searchParams.get('code');
        const tokens = await auth.validateAuthorizationCode(`${issuer}/oauth/token`, code, verifier);
        const refreshed = await auth.refreshAccessToken(`${issuer}/oauth/token`, tokens.refreshToken(), []);
        app.keep(refreshed.data);
        return userinfo(refreshed.accessToken());
      };
      return asks(begin, end, app);
    });
  });

  client('oauth', async (need) => {
    const { OAuth2 } = need('oauth');
    await endsWell((app) => {
      const auth = new OAuth2(app.id, app.secret, issuer, '/oauth/authorize', '/oauth/token');
      const redirect_uri = app.redirectUri;
      const begin = () => auth.getAuthorizeUrl({ redirect_uri, scope: scopes.join(' '), response_type: 'code' });
      const token = (given: string, more: object): Promise<Any> =>
        new Promise((resolve, reject) =>
          auth.getOAuthAccessToken(given, more, (error: Any, access_token: string, refresh_token: string, all: Any) =>
            error ? reject(new Error(error.data)) : resolve({ ...all, access_token, refresh_token }),
          ),
        );
      const end = async (back: URL) => {
        const code = back.searchParams.get('code') as string;
        const tokens = await token(code, { grant_type: 'authorization_code', redirect_uri });
        const refreshed = await token(tokens.refresh_token, { grant_type: 'refresh_token' });
        app.keep(refreshed);
        return userinfo(refreshed.access_token);
      };
      return asks(begin, end, app);
    });
  });

  client('bell', async (need) => {
    await endsWell(async (app) => {
      const server = need('@hapi/hapi').server({ autoListen: false });
      await server.register(need('@hapi/bell'));
      const provider = {
        ...{ name: 'gatehouse', protocol: 'oauth2', auth: `${issuer}/oauth/authorize`, token: `${issuer}/oauth/token` },
        scope: scopes,
        profile: async (credentials: Any, params: Any, get: Any) => {
          app.keep(params);
          credentials.profile = await get(`${issuer}/oauth/userinfo`);
        },
      };
      server.auth.strategy('gatehouse', 'bell', {
        ...{ provider, password: 'a password that is longer than 32 characters', isSecure: false, location: app.url },
        ...{ clientId: app.id, clientSecret: app.secret },
      });
      const options = { auth: 'gatehouse', handler: ({ auth }: Any) => auth.credentials?.profile ?? auth.error };
      server.route({ method: ['GET', 'POST'], path: '/login', options });
      await server.initialize();
      return (request: IncomingMessage, response: ServerResponse) =>
        void server.listener.emit('request', request, response);
    }, '/login');
  });
  client('better-auth', async (need) => {
    const [{ betterAuth }, { genericOAuth }, { memoryAdapter }] = [
      ...[need('better-auth'), need('better-auth/plugins'), need('better-auth/adapters/memory')],
    ];
    let tables: Record<string, Any[]> = {};
    let app: Application | undefined;
    const url = await applications.serve('/api/auth/oauth2/callback/gatehouse', (given) => {
      app = given;
      tables = { user: [], session: [], account: [], verification: [] };
      const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
      const config = [{ providerId: 'gatehouse', clientId: app.id, clientSecret: app.secret, discoveryUrl, scopes }];
      const auth = betterAuth({
        ...{ baseURL: app.url, secret: randomBytes(32).toString('base64'), database: memoryAdapter(tables) },
        plugins: [genericOAuth({ config })],
      });
      return authJs((request: Request) => auth.handler(request), app.url, {});
    });
    const { who, visitor } = await applications.person();
    const json = JSON.stringify({ providerId: 'gatehouse', callbackURL: '/api/auth/get-session' });
    const body = new Blob([json], { type: 'application/json' });
    const sent = await visitor.visit(`${url}/api/auth/sign-in/oauth2`, body);
    const { url: next } = JSON.parse(sent.text) as { url: string };
    applications.shows((await visitor.visit(next)).text, who);
    const [{ refreshToken, idToken }] = tables.account as [Any];
    app?.keep({ refresh_token: refreshToken, id_token: idToken });
    await applications.refreshAndSignOut(url, who, visitor);
  });
});
