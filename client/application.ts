import { OAuthError, SignedOutError } from './errors.ts';
import type { RefreshTokenStore, TokenAnswer } from './login.ts';
import type { Transport } from './transport.ts';

/**
 * An application that people sign in to on the pages of the service: the authorization code grant with PKCE (RFC 6749
 * 4.1, RFC 7636).
 */
export interface Application {
  clientId: string;
  /** Only for an application on a server: code in a browser or on a person's machine cannot keep a secret. */
  clientSecret?: string;
  /** Exactly as it is registered. */
  redirectUri: string;
  /** Scopes, separated by spaces. The default is `openid`. `offline_access` gives a refresh token. */
  scope?: string;
  /** The resource that the token is for (RFC 8707). The default is the service's own API. */
  resource?: string;
}

export interface AuthorizationOptions {
  /** Replaces the application's redirect URI, for example to add the port of a loopback address. */
  redirectUri?: string;
  prompt?: 'none' | 'login' | 'consent' | 'select_account';
  loginHint?: string;
}

/** A pending authorization request. Store it in the session of the person who signs in. */
export interface Authorization {
  /** The address to which you redirect the person. */
  url: string;
  state: string;
  verifier: string;
  redirectUri: string;
}

export interface SignIn {
  authorize(options?: AuthorizationOptions): Promise<Authorization>;
  /** Exchanges the code in the address to which the person returned for tokens. */
  redeem(authorization: Omit<Authorization, 'url'>, answer: string): Promise<TokenAnswer>;
  renew(): Promise<TokenAnswer>;
  revoke(token: string): Promise<void>;
}

export function createSignIn(
  transport: Transport,
  baseUrl: string,
  application: Application,
  store: RefreshTokenStore,
): SignIn {
  const { clientId, clientSecret, scope = 'openid', resource } = application;
  const issuer = baseUrl.replace(/\/+$/, '');
  const credentials = { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };

  const post = async <Body>(path: string, form: Record<string, string>, repeatable: boolean): Promise<Body> =>
    (await transport.send<Body>({ method: 'POST', path, form: { ...form, ...credentials }, repeatable })).body;

  return {
    async authorize({ redirectUri = application.redirectUri, prompt, loginHint } = {}) {
      const verifier = random();
      const state = random();
      const parameters: Record<string, string> = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: 'S256',
        ...(resource === undefined ? {} : { resource }),
        ...(prompt === undefined ? {} : { prompt }),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      };
      return { url: `${issuer}/oauth/authorize?${new URLSearchParams(parameters)}`, state, verifier, redirectUri };
    },
    async redeem({ state, verifier, redirectUri }, answer) {
      const said = new URL(answer, redirectUri).searchParams;
      // RFC 9207: rejects the response of another server.
      const foreign = said.get('state') !== state || (issuer !== '' && said.get('iss') !== issuer);
      if (foreign) throw refused('invalid_state', 'This is no answer to what was asked here. Sign in again.');
      const error = said.get('error');
      if (error !== null) throw refused(error, said.get('error_description') ?? error);
      const form = {
        grant_type: 'authorization_code',
        code: said.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: verifier,
      };
      return post('/oauth/token', form, false);
    },
    async renew() {
      const token = await store.read();
      if (token === undefined) throw new SignedOutError('Nobody is signed in.', { status: 401, code: 'signed_out' });
      return post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token }, true);
    },
    async revoke(token) {
      await post('/oauth/revoke', { token }, true);
    },
  };
}

const refused = (code: string, message: string) => new OAuthError(message, { status: 400, code });

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const challengeOf = async (verifier: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
