import { OAuthError, SignedOutError } from './errors.ts';
import type { RefreshTokenStore, TokenResponse } from './login.ts';
import type { Transport } from './transport.ts';

/**
 * An application that people sign in to on the pages of the service: the authorization code grant with PKCE (RFC 6749
 * 4.1, RFC 7636).
 */
export interface Application {
  clientId: string;
  /** Only for an application on a server. Code in a browser or on a user's machine cannot keep a secret. */
  clientSecret?: string;
  /** Exactly as it is registered. */
  redirectUri: string;
  /** Scopes, separated by spaces. The default is `openid`. With `offline_access` you get a refresh token. */
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
  /** Exchanges the code in the callback URL for tokens. */
  redeem(authorization: Omit<Authorization, 'url'>, callbackUrl: string): Promise<TokenResponse>;
  renew(): Promise<TokenResponse>;
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
    async redeem({ state, verifier, redirectUri }, callbackUrl) {
      const parameters = new URL(callbackUrl, redirectUri).searchParams;
      // RFC 9207: rejects the response of another server, or to another request.
      const isForeign = parameters.get('state') !== state || (issuer !== '' && parameters.get('iss') !== issuer);
      if (isForeign)
        throw oauthError('invalid_state', 'This response does not belong to the current sign-in. Sign in again.');
      const error = parameters.get('error');
      if (error !== null) throw oauthError(error, parameters.get('error_description') ?? error);
      const form = {
        grant_type: 'authorization_code',
        code: parameters.get('code') ?? '',
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

const oauthError = (code: string, message: string) => new OAuthError(message, { status: 400, code });

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const challengeOf = async (verifier: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
