import { GatehouseError } from './errors.ts';
import { type Credentials, createLogin, type Login, type RefreshTokenStore, type Renew } from './login.ts';
import { Resource } from './resource.ts';
import { type Answer, type Call, createTransport, type Fetch } from './transport.ts';
import type { DeclaredResources, TypedResource } from './typed-resource.ts';

export type { DeclaredResources, ResourceTypes, TypedResource } from './typed-resource.ts';

export interface GatehouseOptions {
  /** The service's address. Empty (the default): the origin of the page. */
  baseUrl?: string;
  /** Whose login proxy. `web/admin`, the default, is there in every service: it speaks to `/v1/clients/web/admin/login` and `/refresh`. */
  proxy?: string;
  /** Where the refresh token is kept. Without it: in the proxy's HttpOnly cookie, which is what a browser app wants. */
  refreshTokens?: RefreshTokenStore;
  /** How else to get an access token than by the proxy's refresh. */
  renew?: Renew;
  /** A token from elsewhere (a personal access token) instead of a login. */
  accessToken?: string;
  /** Called when the service has ended a login that was in use here. */
  onSignedOut?: () => void;
  fetch?: Fetch;
  now?: () => number;
  /** Milliseconds before each further try of a call that may be repeated; none: one try only. */
  retryDelays?: readonly number[];
}

/** What every client does, whether it knows the resources or not. */
export interface Session {
  login(credentials: Credentials): Promise<void>;
  /** Takes up a login that is still there, as after a reload. False: somebody has to log in. */
  resume(): Promise<boolean>;
  logout(): Promise<void>;
  /** Any other call under the caller's token: `gatehouse.call({ method: 'GET', path: '/v1/users/me' })`. */
  call(call: Call): Promise<Answer>;
}

/** A client that takes any name: rows are what the caller says. */
export interface Gatehouse extends Session {
  /** The calls of one resource: `gatehouse.resource<Car>('cars')`. */
  resource<Row = Record<string, unknown>>(name: string): Resource<Row>;
}

/** A client that knows what is declared: `createGatehouse<Resources>()`, with the types that `gatehouse types` writes. */
export interface TypedGatehouse<R extends DeclaredResources<R>> extends Session {
  resource<N extends keyof R & string>(name: N): TypedResource<R, N>;
}

/** A client of one Gatehouse service, for browsers and for Node. */
export function createGatehouse(options?: GatehouseOptions): Gatehouse;
export function createGatehouse<R extends DeclaredResources<R>>(options?: GatehouseOptions): TypedGatehouse<R>;
export function createGatehouse(options: GatehouseOptions = {}): Session & { resource(name: string): never } {
  const transport = createTransport({
    baseUrl: options.baseUrl ?? '',
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    retryDelays: options.retryDelays ?? [250, 1000],
  });
  const login: Login = createLogin({
    transport,
    proxyPath: `/v1/clients/${options.proxy ?? 'web/admin'}`,
    store: options.refreshTokens,
    renew: options.renew,
    now: options.now ?? Date.now,
    onSignedOut: options.onSignedOut ?? (() => undefined),
  });

  const withToken = (call: Call, token: string): Promise<Answer> =>
    transport.send({ ...call, headers: { ...call.headers, Authorization: `Bearer ${token}` } });

  /** Nobody is logged in: what is public answers all the same. */
  async function withoutToken(call: Call): Promise<Answer> {
    try {
      return await transport.send(call);
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.status !== 401) throw error;
      // Another tab may have logged in meanwhile.
      return withToken(call, await login.refresh());
    }
  }

  async function call(call: Call): Promise<Answer> {
    if (options.accessToken !== undefined) return withToken(call, options.accessToken);
    const token = await login.accessToken();
    if (token === undefined) return withoutToken(call);
    try {
      return await withToken(call, token);
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.status !== 401) throw error;
      // The refused call did nothing, so that it can be sent again, whatever it was.
      return withToken(call, await login.replaceToken(token));
    }
  }

  return {
    login: login.login,
    resume: login.resume,
    logout: login.logout,
    // Which of the two it is, only the compiler knows.
    resource: (name) => new Resource(call, `/v1/${encodeURIComponent(name)}`) as never,
    call,
  };
}
