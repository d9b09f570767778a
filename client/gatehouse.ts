import { GatehouseError } from './errors.ts';
import { type Credentials, createLogin, type Login, type RefreshTokenStore, type Renew } from './login.ts';
import { Resource } from './resource.ts';
import { type Answer, type Call, createTransport, type Fetch } from './transport.ts';

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

export interface Gatehouse {
  login(credentials: Credentials): Promise<void>;
  /** Takes up a login that is still there, as after a reload. False: somebody has to log in. */
  resume(): Promise<boolean>;
  logout(): Promise<void>;
  /** The calls of one resource: `gatehouse.resource<Car>('cars')`. */
  resource<Row = Record<string, unknown>>(name: string): Resource<Row>;
  /** Any other call under the caller's token: `gatehouse.call({ method: 'GET', path: '/v1/users/me' })`. */
  call(call: Call): Promise<Answer>;
}

/** A client of one Gatehouse service, for browsers and for Node. */
export function createGatehouse(options: GatehouseOptions = {}): Gatehouse {
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

  async function call(call: Call): Promise<Answer> {
    if (options.accessToken !== undefined) return withToken(call, options.accessToken);
    const token = await login.accessToken();
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
    resource: (name) => new Resource(call, `/v1/${encodeURIComponent(name)}`),
    call,
  };
}
