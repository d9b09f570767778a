/** The claims of a provider about a user: from the ID token, and from the userinfo endpoint or the profile. */
export type Claims = Readonly<Record<string, unknown>>;

/** The fields of the user that follow from the claims. Omitted fields stay as they are. */
export interface MappedUser {
  readonly name?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly locale?: string | null | undefined;
  /** The roles that the provider grants. Roles that it no longer grants are removed. */
  readonly roles?: readonly string[] | undefined;
}

/** Reads JSON from the provider's API with the access token of the sign-in. */
export type GetJson = (url: string) => Promise<unknown>;

/** An identity provider for sign-in. */
export interface ProviderDefinition {
  /** Part of the address: `/login/with/<name>`. Lowercase letters, digits and dashes. */
  readonly name: string;
  /** The label of the button. The default is the name. */
  readonly label?: string;
  /** The issuer publishes `/.well-known/openid-configuration`. https, or http on loopback. */
  readonly issuer: string;
  readonly clientId: string;
  /** A function returns a new secret for each sign-in. Without a secret, the client is public. */
  readonly clientSecret?: string | (() => string | Promise<string>);
  /** The day on which the secret expires, such as `2027-01-31`. `gatehouse doctor` and the console warn before it. */
  readonly clientSecretExpires?: string;
  /** The default is `openid`, `profile` and `email`. */
  readonly scopes?: readonly string[];
  /** `verified` (the default): an address is confirmed if the provider says so. `never`: it is not. */
  readonly email?: 'verified' | 'never';
  /** Decides from the claims whether the address is verified. The default is `email_verified`. */
  readonly emailVerified?: (claims: Claims) => boolean;
  /** False: the provider cannot be used to sign in or to link. */
  readonly enabled?: boolean;
  readonly responseMode?: 'query' | 'form_post';
  /** Additional parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The values of `prompt` that the provider accepts. Others become `select_account`. The default is all. */
  readonly prompts?: readonly string[];
  /** The number of factors for an `acr` of the provider: 1 or 2. Values that are not listed count as 1. */
  readonly acr?: Readonly<Record<string, 1 | 2>>;
  /** Maps claims to fields and roles, at each sign-in. */
  readonly map?: (claims: Claims) => MappedUser;
  /** True: a logout here also ends the session at the provider. */
  readonly logout?: boolean;
  /** For a provider without OpenID Connect. */
  readonly authorizationEndpoint?: string;
  /** For a provider without OpenID Connect. */
  readonly tokenEndpoint?: string;
  /** For a provider without OpenID Connect: reads the signed-in user from its API. Returns at least `sub`. */
  readonly profile?: (get: GetJson) => Promise<Claims>;
}

/** A provider: `export default defineProvider({ name, issuer, clientId, clientSecret })`. */
export const defineProvider = (provider: ProviderDefinition): ProviderDefinition => provider;
