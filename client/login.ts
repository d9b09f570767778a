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
  let kept: string | undefined;
  return {
    read: () => kept,
    write(token) {
      kept = token;
    },
  };
}

export interface TokenAnswer {
  access_token: string;
  /** Seconds. */
  expires_in: number;
  refresh_token?: string;
}

/** Gets a new access token without the proxy. Throws a SignedOutError if a new login is needed. */
export type Renew = () => Promise<TokenAnswer>;

export interface Login {
  login(credentials: Credentials): Promise<void>;
  /** Sets tokens that did not come from the proxy. */
  take(tokens: () => Promise<TokenAnswer>): Promise<void>;
  /** Continues the login that this browser (or the store) still has. False: the person must log in. */
  resume(): Promise<boolean>;
  /** Ends the session at the service. The tokens are deleted here even if the service returns an error. */
  logout(): Promise<void>;
  /** A token that should be valid, refreshed first if it has expired. Undefined if nobody is logged in. */
  accessToken(): Promise<string | undefined>;
  /** A new token. Concurrent callers share one refresh. Throws a SignedOutError if nobody is logged in. */
  refresh(): Promise<string>;
  /** Call it when the service has refused a token. Returns a new one. Concurrent callers share one refresh. */
  replaceToken(refused: string): Promise<string>;
}

interface Held {
  token: string;
  /** The time from which it is no longer used, by this machine's clock. */
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
  let held: Held | undefined;
  let refreshing: Promise<string> | undefined;
  /** Counts logins and logouts, so that a late refresh does not restore an ended login. */
  let era = 0;
  /** The last refresh failed because nobody is logged in. Calls are sent without a token until one is refused. */
  let nobody = false;

  async function post(verb: string, body: object, repeatable: boolean): Promise<TokenAnswer> {
    const path = `${proxyPath}/${verb}`;
    const call: Call = { method: 'POST', path, body, repeatable, withCookies: store === undefined };
    const { body: tokens } = await transport.send<TokenAnswer | undefined>(call);
    if (typeof tokens?.access_token === 'string') return tokens;
    // Something other than the service responded, such as the sign-in page of a hotel network.
    throw new UnreachableError('The answer holds no tokens.', { status: 0, code: 'unreachable' });
  }

  /** The password, and the second factor of whoever has one. A wrong code is asked for again. */
  async function logIn(credentials: Credentials): Promise<TokenAnswer> {
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
        } catch (refused) {
          if (!isWrongFactor(refused) || now() >= until) throw refused;
          request = { ...step, error: refused };
        }
      }
    }
  }

  async function keep(answer: TokenAnswer, ofEra: number): Promise<string> {
    const { access_token: token, expires_in: seconds, refresh_token: refreshToken } = answer;
    // Meanwhile somebody logged in anew (then theirs is the token) or out.
    if (ofEra !== era) return held?.token ?? fail(signedOut());
    const until = now() + Math.max(1, seconds - margin) * 1000;
    // First: once the access token is used, the service takes the refresh token for kept.
    if (refreshToken !== undefined) await store?.write(refreshToken);
    if (ofEra !== era) return held?.token ?? fail(signedOut());
    held = { token, until };
    nobody = false;
    return token;
  }

  async function forget(): Promise<void> {
    held = undefined;
    nobody = true;
    era++;
    await store?.write(undefined);
  }

  function refresh(): Promise<string> {
    refreshing ??= refreshNow().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refreshByProxy(): Promise<TokenAnswer> {
    const token = await store?.read();
    if (store && token === undefined) throw signedOut();
    // Repeatable: until the successor is used, the service answers the same refresh token with the same successor.
    return post('refresh', token === undefined ? {} : { refresh_token: token }, true);
  }

  async function refreshNow(): Promise<string> {
    const ofEra = era;
    try {
      return await keep(await (renew ?? refreshByProxy)(), ofEra);
    } catch (error) {
      if (!isOver(error)) throw error;
      if (ofEra !== era && held) return held.token;
      const hadLogin = held !== undefined;
      await forget();
      if (hadLogin) onSignedOut();
      throw signedOut(error);
    }
  }

  async function take(tokens: () => Promise<TokenAnswer>): Promise<void> {
    const ofEra = ++era;
    await keep(await tokens(), ofEra);
  }

  const logOut = (token: string): Promise<unknown> =>
    transport.send({
      method: 'DELETE',
      path: '/v1/logout',
      headers: { Authorization: `Bearer ${token}` },
      withCookies: store === undefined,
    });

  return {
    login: (credentials) => take(() => logIn(credentials)),
    take,
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
      const token = held?.token ?? (await refresh().catch(() => undefined));
      await forget();
      if (token === undefined) return;
      await (end ?? logOut)(token).catch((error) => {
        if (!(error instanceof GatehouseError) || error.status !== 401) throw error;
      });
    },
    async accessToken() {
      if (held && held.until > now()) return held.token;
      if (nobody) return undefined;
      const wasIn = held !== undefined;
      try {
        return await refresh();
      } catch (error) {
        if (wasIn || !(error instanceof SignedOutError)) throw error;
        return undefined;
      }
    },
    refresh,
    async replaceToken(refused) {
      // Another call may have replaced it while this one was under way.
      return held && held.token !== refused ? held.token : refresh();
    },
  };
}

/** How long the service accepts a second factor after the password. */
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

/** The proxy refused the refresh token itself (or there was none), rather than having failed at its work. */
const isOver = (error: unknown): boolean =>
  error instanceof SignedOutError || (error instanceof OAuthError && error.status < 500 && error.status !== 429);

const signedOut = (cause?: unknown) =>
  new SignedOutError('The login is over. Log in again.', { status: 401, code: 'signed_out', cause });
