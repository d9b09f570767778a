import { type Application, type Authorization, type AuthorizationOptions, createSignIn } from './application.ts';
import { GatehouseError } from './errors.ts';
import {
  type AskSecondFactor,
  type Credentials,
  createLogin,
  type Login,
  memoryStore,
  type RefreshTokenStore,
  type Renew,
} from './login.ts';
import { readCallback, redirectToService, thisPage } from './redirect.ts';
import { Resource } from './resource.ts';
import { type Call, type CallResponse, createTransport, type Fetch } from './transport.ts';
import type { DeclaredResources, TypedResource } from './typed-resource.ts';

export type { Application, Authorization, AuthorizationOptions } from './application.ts';
export type { ResourceTypes } from './resource-types.ts';
export type { DeclaredResources, TypedResource } from './typed-resource.ts';

export interface GatehouseOptions {
  /** The service's address. Empty (the default): the origin of the page. */
  baseUrl?: string;
  /**
   * The login proxy. The default, `web/admin`, exists in every service: `/v1/clients/web/admin/login` and `/refresh`.
   */
  proxy?: string;
  /** Signs people in on the pages of the service instead of through a proxy. For third-party applications too. */
  application?: Application;
  /**
   * Where to store the refresh token. The default is the HttpOnly cookie of the proxy, and memory for an
   * `application`.
   */
  refreshTokens?: RefreshTokenStore;
  /** Gets an access token in another way than the proxy's refresh. */
  renew?: Renew;
  /** An existing token (a personal access token), instead of a login. */
  accessToken?: string;
  /** Called when the service has ended the current login. */
  onSignedOut?: () => void;
  /**
   * Called when a call needs a recent proof of identity (401 `proof_too_old`). Returns the proof, such as `{ password
   * }`. The client renews the proof and sends the call again. Undefined: the call fails.
   */
  onStepUp?: (error: GatehouseError) => Promise<Record<string, unknown> | undefined>;
  /**
   * Called when `login` needs a second factor (403 `mfa_required`), and again after a wrong code. Returns the code,
   * or the passkey response of the browser. Without this option, or if it returns undefined, `login` fails.
   */
  onSecondFactor?: AskSecondFactor;
  fetch?: Fetch;
  now?: () => number;
  /** Delays in milliseconds before each retry of a repeatable call. An empty list: no retries. */
  retryDelays?: readonly number[];
}

/** Logging in with credentials, or with an identity provider. */
export interface LogIn {
  (credentials: Credentials): Promise<void>;
  /**
   * Leaves this page for the provider. The browser returns to `next` (default: this page), where `resume()` completes
   * the login. Returns the address: outside a browser, open it yourself.
   */
  with(provider: string, options?: { readonly next?: string }): string;
}

/** The methods of every client, with or without types for the resources. */
export interface Session {
  readonly login: LogIn;
  /** Continues an existing login, for example after a reload. False: the person must log in. */
  resume(): Promise<boolean>;
  logout(): Promise<void>;
  /**
   * Leaves this page for the sign-in page of the service. The browser returns to the redirect URI, where `resume()`
   * completes the sign-in.
   */
  signIn(options?: AuthorizationOptions): Promise<void>;
  /** On a server: the address to redirect the person to, and the value that `redeem` needs when they return. */
  authorize(options?: AuthorizationOptions): Promise<Authorization>;
  /** Completes the sign-in with the callback URL. */
  redeem(authorization: Omit<Authorization, 'url'>, callbackUrl: string): Promise<void>;
  /** Any other call with the caller's token: `gatehouse.call({ method: 'GET', path: '/v1/users/me' })`. */
  call<Body = unknown>(call: Call): Promise<CallResponse<Body>>;
}

/** A client that accepts any resource name. The caller sets the type of the rows. */
export interface Gatehouse extends Session {
  /** The calls of one resource: `gatehouse.resource<Car>('cars')`. */
  resource<Row = Record<string, unknown>>(name: string): Resource<Row>;
}

/**
 * A client that knows the declared resources: `createGatehouse<Resources>()`, with the types from `gatehouse types`.
 */
export interface TypedGatehouse<R extends DeclaredResources<R>> extends Session {
  resource<N extends keyof R & string>(name: N): TypedResource<R, N>;
}

/** Whether the token is valid, but the user must renew the proof of identity (RFC 9470). */
const isStepUp = (error: unknown): error is GatehouseError =>
  error instanceof GatehouseError && error.code === 'proof_too_old';

/** A client of one Gatehouse service, for browsers and for Node. */
export function createGatehouse(options?: GatehouseOptions): Gatehouse;
export function createGatehouse<R extends DeclaredResources<R>>(options?: GatehouseOptions): TypedGatehouse<R>;
export function createGatehouse(options: GatehouseOptions = {}): Session & { resource(name: string): never } {
  const transport = createTransport({
    baseUrl: options.baseUrl ?? '',
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    retryDelays: options.retryDelays ?? [250, 1000],
  });
  const { application } = options;
  const store = options.refreshTokens ?? (application && memoryStore());
  const signInPages = application && store && createSignIn(transport, options.baseUrl ?? '', application, store);
  const proxyPath = `/v1/clients/${options.proxy ?? 'web/admin'}`;
  const login: Login = createLogin({
    transport,
    proxyPath,
    store,
    renew: options.renew ?? signInPages?.renew,
    end: signInPages?.revoke,
    now: options.now ?? Date.now,
    onSignedOut: options.onSignedOut ?? (() => undefined),
    onSecondFactor: options.onSecondFactor,
  });

  const withToken = <Body>(call: Call, token: string): Promise<CallResponse<Body>> =>
    transport.send({ ...call, headers: { ...call.headers, Authorization: `Bearer ${token}` } });

  /** Without a login, public resources still work. */
  async function withoutToken<Body>(call: Call): Promise<CallResponse<Body>> {
    try {
      return await transport.send(call);
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.status !== 401) throw error;
      // Another tab may have logged in in the meantime.
      return withToken(call, await login.refresh());
    }
  }

  async function call<Body>(call: Call): Promise<CallResponse<Body>> {
    try {
      return await send(call);
    } catch (error) {
      if (!isStepUp(error) || !options.onStepUp) throw error;
      const proof = await options.onStepUp(error);
      if (!proof) throw error;
      await send({ method: 'POST', path: '/v1/sessions/current/proofs', body: proof });
      // The rejected call had no effect, so it can be repeated.
      return send(call);
    }
  }

  async function send<Body>(call: Call): Promise<CallResponse<Body>> {
    if (options.accessToken !== undefined) return withToken(call, options.accessToken);
    const token = await login.accessToken();
    if (token === undefined) return withoutToken(call);
    try {
      return await withToken(call, token);
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.status !== 401 || isStepUp(error)) throw error;
      // The rejected call had no effect, so it can be repeated.
      return withToken(call, await login.replaceToken(token));
    }
  }

  const pages = () => {
    if (signInPages) return signInPages;
    throw new TypeError('Set the application: createGatehouse({ application: { clientId, redirectUri } }).');
  };
  const redeem: Session['redeem'] = (authorization, callbackUrl) =>
    login.setTokens(() => pages().redeem(authorization, callbackUrl));

  async function signIn(authorizationOptions?: AuthorizationOptions): Promise<void> {
    const page = thisPage();
    if (!page)
      throw new TypeError('There is no browser page to redirect. Use authorize and redeem, or signInByLoopback.');
    redirectToService(page, await pages().authorize(authorizationOptions));
  }

  const logIn: LogIn = Object.assign(login.login, {
    with(provider: string, { next }: { next?: string } = {}): string {
      const page = thisPage();
      const back = next ?? page?.location.href;
      const query = back === undefined ? '' : `?next=${encodeURIComponent(back)}`;
      const address = `${options.baseUrl ?? ''}${proxyPath}/with/${encodeURIComponent(provider)}${query}`;
      page?.location.assign(address);
      return address;
    },
  });

  async function resume(): Promise<boolean> {
    const page = signInPages && thisPage();
    const callback = page && readCallback(page);
    if (!callback) return login.resume();
    await redeem(callback.authorization, callback.url);
    return true;
  }

  return {
    login: logIn,
    resume,
    logout: login.logout,
    signIn,
    authorize: async (authorizationOptions) => pages().authorize(authorizationOptions),
    redeem,
    // Only the compiler distinguishes the two kinds of resources.
    resource: (name) => new Resource(call, `/v1/${encodeURIComponent(name)}`) as never,
    call,
  };
}
