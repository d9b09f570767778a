import { GatehouseError, OAuthError, SignedOutError, UnreachableError } from './errors.ts';
import type { Call, Transport } from './transport.ts';

/** The fields of the login form: the password, and the identifier under its own name or under `username`. */
export type Credentials = { password: string } & ({ email: string } | { username: string } | { phone: string });

/** The password was correct, and the user has a second factor. */
export interface SecondFactorRequest {
  /** The second factors that the user can use: `totp`, `passkey`, `recovery_code`, `email_code`. */
  readonly methods: readonly string[];
  /** To get the options of a passkey: `POST /v1/passkey-challenges` with `{ type: 'get', mfa_token }`. */
  readonly mfaToken: string;
  /** The reason for another request: the previous code was wrong. */
  readonly error?: OAuthError;
}

/** A code, or the passkey response of the browser. `remember`: this browser needs no second factor for some time. */
export type SecondFactor = ({ code: string } | { passkey: unknown }) & { remember?: boolean };

/** Asks the person for the second factor. Undefined: the person cancelled, and the login fails. */
export type AskSecondFactor = (request: SecondFactorRequest) => Promise<SecondFactor | undefined>;

/**
 * Stores the refresh token of an application without cookies (mobile, command line). A browser uses its cookie
 * instead.
 */
export interface RefreshTokenStore {
  read(): string | undefined | Promise<string | undefined>;
  write(token: string | undefined): void | Promise<void>;
}

/** Keeps the refresh token until the program ends. */
export function memoryStore(): RefreshTokenStore {
  let stored: string | undefined;
  return {
    read: () => stored,
    write(token) {
      stored = token;
    },
  };
}

export interface TokenResponse {
  access_token: string;
  /** Seconds. */
  expires_in: number;
  refresh_token?: string;
}

/** Gets a new access token without the proxy. Throws a SignedOutError if a new login is needed. */
export type Renew = () => Promise<TokenResponse>;

export interface Login {
  login(credentials: Credentials): Promise<void>;
  /** Sets tokens that did not come from the proxy. */
  setTokens(tokens: () => Promise<TokenResponse>): Promise<void>;
  /** Continues the login that this browser (or the store) still has. False: the person must log in. */
  resume(): Promise<boolean>;
  /** Ends the session at the service. The tokens are deleted here even if the service returns an error. */
  logout(): Promise<void>;
  /** A token that should be valid, refreshed first if it has expired. Undefined if nobody is logged in. */
  accessToken(): Promise<string | undefined>;
  /** A new token. Concurrent callers share one refresh. Throws a SignedOutError if nobody is logged in. */
  refresh(): Promise<string>;
  /** Call it when the service has rejected a token. Returns a new one. Concurrent callers share one refresh. */
  replaceToken(rejected: string): Promise<string>;
}

interface HeldToken {
  token: string;
  /** The token is not used after this time, by this machine's clock. */
  until: number;
}

interface LoginOptions {
  transport: Transport;
  /** `/v1/clients/web/admin`: the proxy that adds the client's credentials. */
  proxyPath: string;
  store: RefreshTokenStore | undefined;
  renew: Renew | undefined;
  /** Ends the session at the service. The default is the logout endpoint. */
  end?: ((token: string) => Promise<unknown>) | undefined;
  now: () => number;
  onSignedOut: () => void;
  onSecondFactor?: AskSecondFactor | undefined;
}

/** An access token is not used in its last seconds, because the request must still arrive. */
const margin = 10;

/**
 * A login through a proxy. The access token is only in this closure. The refresh token is in an HttpOnly cookie that
 * scripts cannot read. Several tabs may refresh at the same time: the service returns the same new refresh token to
 * each.
 */
export function createLogin(options: LoginOptions): Login {
  const { transport, proxyPath, store, renew, end, now, onSignedOut, onSecondFactor } = options;
  let held: HeldToken | undefined;
  let refreshing: Promise<string> | undefined;
  /** Counts logins and logouts, so that a late refresh does not restore an ended login. */
  let loginNumber = 0;
  /**
   * The last refresh failed because nobody is logged in. Calls are sent without a token until one of them gets a 401.
   */
  let isSignedOut = false;

  async function post(verb: string, body: object, repeatable: boolean): Promise<TokenResponse> {
    const path = `${proxyPath}/${verb}`;
    const call: Call = { method: 'POST', path, body, repeatable, withCookies: store === undefined };
    const response = await transport.send<(TokenResponse & { data?: TokenResponse }) | undefined>(call);
    // A service with COMPAT=apiato12 or apiato13 wraps the tokens in `data`.
    const tokens = response.body?.data ?? response.body;
    if (typeof tokens?.access_token === 'string') return tokens;
    // Another server responded, such as the sign-in page of a hotel network.
    throw new UnreachableError('The response contains no tokens.', { status: 0, code: 'unreachable' });
  }

  /**
   * Logs in with the password, and with a second factor if the user has one. After a wrong code, the user is asked
   * again.
   */
  async function logIn(credentials: Credentials): Promise<TokenResponse> {
    try {
      return await post('login', credentials, false);
    } catch (error) {
      const step = secondFactorOf(error);
      if (!step || !onSecondFactor) throw error;
      const until = now() + mfaTokenLifeMs;
      for (let request: SecondFactorRequest = step; ; ) {
        const factor = await onSecondFactor(request);
        if (!factor) throw error;
        try {
          return await post('login', { mfa_token: step.mfaToken, ...factor }, false);
        } catch (rejected) {
          if (!isWrongFactor(rejected) || now() >= until) throw rejected;
          request = { ...step, error: rejected };
        }
      }
    }
  }

  async function storeTokens(response: TokenResponse, forLogin: number): Promise<string> {
    const { access_token: token, expires_in: seconds, refresh_token: refreshToken } = response;
    // Somebody has logged in or out in the meantime. A newer login has its own token.
    if (forLogin !== loginNumber) return held?.token ?? fail(signedOut());
    const until = now() + Math.max(1, seconds - margin) * 1000;
    // Before the access token is used: from then on, the service assumes that the client has stored the refresh token.
    if (refreshToken !== undefined) await store?.write(refreshToken);
    if (forLogin !== loginNumber) return held?.token ?? fail(signedOut());
    held = { token, until };
    isSignedOut = false;
    return token;
  }

  async function forget(): Promise<void> {
    held = undefined;
    isSignedOut = true;
    loginNumber++;
    await store?.write(undefined);
  }

  function refresh(): Promise<string> {
    refreshing ??= refreshNow().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refreshByProxy(): Promise<TokenResponse> {
    const token = await store?.read();
    if (store && token === undefined) throw signedOut();
    // Repeatable: until the new refresh token is used, the service returns it again for the old one.
    return post('refresh', token === undefined ? {} : { refresh_token: token }, true);
  }

  const requestTokens = renew ?? refreshByProxy;

  async function refreshNow(): Promise<string> {
    const forLogin = loginNumber;
    try {
      return await storeTokens(await requestTokens(), forLogin);
    } catch (error) {
      if (!isSignedOutError(error)) throw error;
      if (forLogin !== loginNumber && held) return held.token;
      const hadLogin = held !== undefined;
      await forget();
      if (hadLogin) onSignedOut();
      throw signedOut(error);
    }
  }

  async function setTokens(tokens: () => Promise<TokenResponse>): Promise<void> {
    const forLogin = ++loginNumber;
    await storeTokens(await tokens(), forLogin);
  }

  const logOut = (token: string): Promise<unknown> =>
    transport.send({
      method: 'DELETE',
      path: '/v1/logout',
      headers: { Authorization: `Bearer ${token}` },
      withCookies: store === undefined,
    });

  /** Ends the session of this access token. False: the service refuses the token. */
  async function hasEnded(token: string): Promise<boolean> {
    try {
      await (end ?? logOut)(token);
      return true;
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.status !== 401) throw error;
      return false;
    }
  }

  return {
    login: (credentials) => setTokens(() => logIn(credentials)),
    setTokens,
    async resume() {
      if (held && held.until > now()) return true;
      try {
        await refresh();
        return true;
      } catch (error) {
        if (error instanceof SignedOutError) return false;
        throw error;
      }
    },
    async logout() {
      const token = held && held.until > now() ? held.token : undefined;
      const number = ++loginNumber;
      held = undefined;
      isSignedOut = true;
      try {
        if (token !== undefined && (await hasEnded(token))) return;
        // The service refuses an access token that has expired or was revoked. The session may still exist.
        const tokens = await requestTokens().catch((error) => {
          if (!isSignedOutError(error)) throw error;
        });
        if (tokens) await hasEnded(tokens.access_token);
      } finally {
        if (number === loginNumber) await forget();
      }
    },
    async accessToken() {
      if (held && held.until > now()) return held.token;
      if (isSignedOut) return undefined;
      const wasSignedIn = held !== undefined;
      try {
        return await refresh();
      } catch (error) {
        if (wasSignedIn || !(error instanceof SignedOutError)) throw error;
        return undefined;
      }
    },
    refresh,
    async replaceToken(rejected) {
      // Another call may have replaced the token in the meantime.
      return held && held.token !== rejected ? held.token : refresh();
    },
  };
}

/** The service accepts the second factor for this long after the password. */
const mfaTokenLifeMs = 300_000;

function secondFactorOf(error: unknown): SecondFactorRequest | undefined {
  if (!(error instanceof OAuthError) || error.code !== 'mfa_required') return undefined;
  const { mfa_token, methods } = error.members;
  return { mfaToken: String(mfa_token), methods: Array.isArray(methods) ? methods.map(String) : [] };
}

const isWrongFactor = (error: unknown): error is OAuthError =>
  error instanceof OAuthError && error.code === 'invalid_grant';

function fail(error: Error): never {
  throw error;
}

/** Whether the refresh token is missing or was rejected. Other errors of the proxy do not end the login. */
const isSignedOutError = (error: unknown): boolean =>
  error instanceof SignedOutError || (error instanceof OAuthError && error.status < 500 && error.status !== 429);

const signedOut = (cause?: unknown) =>
  new SignedOutError('The login has ended. Log in again.', { status: 401, code: 'signed_out', cause });
