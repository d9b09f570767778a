/** The claims of a provider about a person: from the ID token, and from the userinfo endpoint or the profile. */
export type Claims = Readonly<Record<string, unknown>>;

/** The fields of the user that follow from the claims. Omitted fields stay as they are. */
export interface MappedUser {
  readonly name?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly locale?: string | null | undefined;
  /** The roles that the provider grants. One that it no longer grants is removed. */
  readonly roles?: readonly string[] | undefined;
}

/** Reads JSON from the provider's API with the access token of the sign-in. */
export type GetJson = (url: string) => Promise<unknown>;

/** An identity provider that people can sign in with. */
export interface ProviderDefinition {
  /** Part of the address: `/login/with/<name>`. Lowercase letters, digits and dashes. */
  readonly name: string;
  /** On the button. The default is the name. */
  readonly label?: string;
  /** Its `/.well-known/openid-configuration` describes it. https, or http on loopback. */
  readonly issuer: string;
  readonly clientId: string;
  /** A function makes a new one for each sign-in. Without one, the client is public. */
  readonly clientSecret?: string | (() => string | Promise<string>);
  /** The day on which the secret expires, such as `2027-01-31`. `gatehouse doctor` and the console warn before it. */
  readonly clientSecretExpires?: string;
  /** The default is `openid`, `profile` and `email`. */
  readonly scopes?: readonly string[];
  /** `verified` (the default): an address counts as confirmed if the provider says so. `never`: it does not. */
  readonly email?: 'verified' | 'never';
  /** Reads from the claims whether the address is verified. The default is `email_verified`. */
  readonly emailVerified?: (claims: Claims) => boolean;
  /** False: nobody can sign in or link with it. */
  readonly enabled?: boolean;
  readonly responseMode?: 'query' | 'form_post';
  /** More parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The values of `prompt` that the provider takes. Others become `select_account`. The default is all. */
  readonly prompts?: readonly string[];
  /** How many factors an `acr` of the provider stands for: 1 or 2. One that is not listed stands for 1. */
  readonly acr?: Readonly<Record<string, 1 | 2>>;
  /** Claims to fields and roles, at each sign-in. */
  readonly map?: (claims: Claims) => MappedUser;
  /** True: a logout here goes on to the provider and ends the session there. */
  readonly logout?: boolean;
  /** For a provider without OpenID Connect. */
  readonly authorizationEndpoint?: string;
  /** For a provider without OpenID Connect. */
  readonly tokenEndpoint?: string;
  /** For a provider without OpenID Connect: asks its API who signed in. Returns at least `sub`. */
  readonly profile?: (get: GetJson) => Promise<Claims>;
}

/** A provider: `export default defineProvider({ name, issuer, clientId, clientSecret })`. */
export const defineProvider = (provider: ProviderDefinition): ProviderDefinition => provider;
