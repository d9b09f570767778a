import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
} from 'openid-client';
import type { Context } from '../../../src/database/context.ts';
import { OutboundError } from '../../../src/http/outbound/guarded-fetch.ts';
import type { ProviderButton } from '../../../src/identity/providers/sign-in-providers.ts';
import { asObject } from '../../../src/platform/is-object.ts';
import { tryParseJson } from '../../../src/platform/json-text.ts';
import type { Claims, ProviderDefinition } from '../declaration/define-provider.ts';
import { createProviderFetch, type ProviderFetch } from './provider-fetch.ts';
import { isPrintable, readUpstream, type Upstream } from './upstream.ts';

/** Only asymmetric algorithms: with symmetric ones, anybody who knows the client's secret could sign. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

const metadataLifeMs = 3_600_000;
/** The tolerated clock difference in seconds. `openid-client` uses the same value. */
export const clockTolerance = 30;

/** The parameters that the application passes on to the provider. */
export interface ForwardedParameters {
  readonly prompt?: string | undefined;
  readonly maxAge?: number | undefined;
  readonly acrValues?: string | undefined;
  readonly loginHint?: string | undefined;
}

/** The values that bind a response of the provider to the request. */
export interface Binding {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

interface Discovered {
  readonly configuration: Configuration;
  readonly keys: Readonly<Record<'signIn' | 'logout', ReturnType<typeof createRemoteJWKSet>>> | undefined;
  readonly at: number;
}

/** Calls a provider. Nothing is fetched before the first sign-in. */
export class ProviderClient {
  readonly definition: ProviderDefinition;
  readonly #log: Context['log'];
  readonly #fetch: ProviderFetch;
  readonly #now: () => number;
  #discovered: Discovered | undefined;
  #discovering: Promise<Discovered> | undefined;

  constructor({ config, log, now }: Pick<Context, 'config' | 'log' | 'now'>, definition: ProviderDefinition) {
    this.definition = definition;
    this.#log = log;
    this.#now = now;
    this.#fetch = createProviderFetch(config, definition);
  }

  get button(): ProviderButton {
    const { name, label = name } = this.definition;
    return { name, label };
  }

  get isOpenId(): boolean {
    return this.definition.profile === undefined;
  }

  /** The address for the browser. */
  async authorizationUrl(
    { redirectUri, state, nonce, verifier }: Binding,
    { prompt, maxAge, acrValues, loginHint }: ForwardedParameters,
  ): Promise<URL> {
    const { scopes = ['openid', 'profile', 'email'], responseMode, parameters, prompts } = this.definition;
    const takes = (word: string) => prompts?.includes(word) ?? true;
    const requested = prompt?.split(' ').map((word) => (takes(word) ? word : 'select_account'));
    const { configuration } = await this.#discover();
    return buildAuthorizationUrl(configuration, {
      ...parameters,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(this.isOpenId ? { nonce } : {}),
      ...(responseMode === undefined || responseMode === 'query' ? {} : { response_mode: responseMode }),
      ...(requested === undefined ? {} : { prompt: [...new Set(requested)].join(' ') }),
      ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
      ...(acrValues === undefined ? {} : { acr_values: acrValues }),
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    });
  }

  /** Reads the signed-in user from the provider's request to the callback. Throws if anything does not match. */
  async finish(callback: URLSearchParams, binding: Binding, maxAge: number | null): Promise<Upstream> {
    const { configuration, keys } = await this.#discover();
    const url = new URL(binding.redirectUri);
    url.search = callback.toString();
    const tokens = await authorizationCodeGrant(configuration, url, {
      expectedState: binding.state,
      pkceCodeVerifier: binding.verifier,
      ...(this.isOpenId ? { expectedNonce: binding.nonce, idTokenExpected: true } : {}),
      ...(this.isOpenId && maxAge !== null ? { maxAge } : {}),
    });
    if (this.definition.profile) {
      const claims = await this.definition.profile((address) => this.#getJson(address, tokens.access_token));
      return this.#read(this.definition.issuer, claims);
    }
    if (!keys || tokens.id_token === undefined) throw new Error('the provider sent no ID token');
    const { payload } = await jwtVerify(tokens.id_token, keys.signIn, { algorithms, clockTolerance });
    const more =
      payload.email === undefined ? await this.#userinfo(configuration, tokens.access_token, payload.sub) : {};
    return this.#read(payload.iss as string, { ...more, ...nameOf(callback), ...payload });
  }

  /** The claims of a logout token (OpenID Connect Back-Channel Logout 2.4). Throws if the provider did not issue it. */
  async readLogoutToken(token: string): Promise<Claims> {
    const { configuration, keys } = await this.#discover();
    if (!keys) throw new Error('the provider has no OpenID Connect');
    const { payload } = await jwtVerify(token, keys.logout, {
      algorithms,
      issuer: configuration.serverMetadata().issuer,
      audience: this.definition.clientId,
      maxTokenAge: '5m',
      clockTolerance,
    });
    return payload;
  }

  /** The address that ends the browser's session at the provider. Undefined unless the declaration asks for it. */
  async logoutUrl(backTo: string): Promise<URL | undefined> {
    if (!this.definition.logout) return undefined;
    const { configuration } = await this.#discover();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return buildEndSessionUrl(configuration, { post_logout_redirect_uri: backTo });
  }

  /** For `doctor`: fetches metadata and keys. Returns the clock difference in ms, if known; throws if it fails. */
  async check(): Promise<number | undefined> {
    const { clientSecret } = this.definition;
    if (typeof clientSecret === 'function') await clientSecret();
    this.#discovered = undefined;
    const { jwks_uri, token_endpoint } = (await this.#discover()).configuration.serverMetadata();
    const { headers } = await this.#fetch(jwks_uri ?? (token_endpoint as string), {});
    const date = Date.parse(headers.get('date') ?? '');
    // RFC 9111 5.1: a cache adds the age of its response.
    const age = Number(headers.get('age') ?? 0) * 1000;
    return Number.isFinite(date + age) ? date + age - this.#now() : undefined;
  }

  #read(issuer: string, claims: Claims): Upstream {
    const { sub } = claims;
    if (!isPrintable(sub)) throw new Error('the subject is missing, or is not ASCII');
    return readUpstream(this.definition, issuer, { ...claims, sub });
  }

  /** Some providers return the email only here. A failure does not prevent the sign-in. */
  async #userinfo(configuration: Configuration, accessToken: string, sub = ''): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    try {
      return await fetchUserInfo(configuration, accessToken, sub);
    } catch (err) {
      this.#log.warn({ err, provider: this.definition.name }, 'the userinfo of a provider could not be read');
      return {};
    }
  }

  async #getJson(address: string, accessToken: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const response = await this.#fetch(address, { headers });
    if (response.status !== 200)
      throw new OutboundError(`${new URL(address).host} returned the status ${response.status}`);
    return response.json();
  }

  /** Caches metadata and keys. Old metadata is used while new metadata is fetched or unavailable. */
  #discover(): Promise<Discovered> {
    const cached = this.#discovered;
    if (cached && this.#now() - cached.at < metadataLifeMs) return Promise.resolve(cached);
    this.#discovering ??= this.#fetchMetadata().finally(() => {
      this.#discovering = undefined;
    });
    if (!cached) return this.#discovering;
    this.#discovering.catch((err) =>
      this.#log.warn({ err, provider: this.definition.name }, 'the metadata of a provider could not be renewed'),
    );
    return Promise.resolve(cached);
  }

  #keysAt(address: string, cooldownDuration: number): ReturnType<typeof createRemoteJWKSet> {
    const fetching = { [joseFetch]: this.#fetch };
    return createRemoteJWKSet(new URL(address), { ...fetching, cooldownDuration, cacheMaxAge: metadataLifeMs });
  }

  async #fetchMetadata(): Promise<Discovered> {
    const { issuer, clientId, authorizationEndpoint, tokenEndpoint } = this.definition;
    const authentication = authenticationOf(this.definition);
    const plain = new URL(issuer).protocol === 'http:' ? [allowInsecureRequests] : [];
    const configuration =
      authorizationEndpoint && tokenEndpoint
        ? new Configuration(
            { issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint },
            clientId,
            {},
            authentication,
          )
        : await discovery(new URL(issuer), clientId, {}, authentication, {
            [customFetch]: this.#fetch,
            execute: plain,
            timeout: 5,
          });
    configuration[customFetch] = this.#fetch;
    configuration.timeout = 10;
    for (const allow of plain) allow(configuration);
    const { jwks_uri } = configuration.serverMetadata();
    const keys =
      jwks_uri === undefined
        ? undefined
        : {
            // The provider itself sent the token, so an unknown key is fetched at once.
            signIn: this.#keysAt(jwks_uri, 0),
            // Anybody can send a logout token, so keys are fetched less often.
            logout: this.#keysAt(jwks_uri, 30_000),
          };
    if (this.isOpenId && !keys) throw new Error('the metadata of the provider has no jwks_uri');
    this.#discovered = { configuration, keys, at: this.#now() };
    return this.#discovered;
  }
}

/** The client authentication method, from the metadata of the provider. */
const authenticationOf =
  ({ clientSecret }: ProviderDefinition): ClientAuth =>
  async (server, client, body, headers) => {
    if (clientSecret === undefined) return None()(server, client, body, headers);
    const secret = typeof clientSecret === 'string' ? clientSecret : await clientSecret();
    const { token_endpoint_auth_methods_supported: methods } = server;
    const basicOnly = methods?.includes('client_secret_basic') && !methods.includes('client_secret_post');
    return (basicOnly ? ClientSecretBasic : ClientSecretPost)(secret)(server, client, body, headers);
  };

/** Apple sends the name with the code, only at the first sign-in: `{"name":{"firstName":"Ada","lastName":"Lovelace"}}`. */
function nameOf(callback: URLSearchParams): Claims {
  const { firstName, lastName } = asObject(asObject(tryParseJson(callback.get('user') ?? '')).name);
  const parts = [firstName, lastName].filter((part) => typeof part === 'string' && part !== '');
  return parts.length > 0 ? { name: parts.join(' ') } : {};
}
