import { type JsonText, parseJson } from '../../../platform/json-text.ts';

/** Grants other than scopes. They are stored with the code and then with the session. */
export interface GrantDetails {
  /** The claims requested by name (OpenID Connect Core 5.5), by their destination. */
  readonly claims?: RequestedClaims | undefined;
  /** The thumbprint of the key that tokens are bound to (RFC 9449). */
  readonly jkt?: string | undefined;
  /** The authorization details that the user agreed to (RFC 9396). */
  readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
  /** The policy requires a second factor that the user does not have. This login may only set one up. */
  readonly setUpOnly?: true | undefined;
}

/** One object of `authorization_details`. The resource server knows the meaning of its members. */
export interface AuthorizationDetail {
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface RequestedClaims {
  readonly userinfo: readonly string[];
  readonly id_token: readonly string[];
}

/** As JSON. Null if empty. */
export function storedDetails(details: GrantDetails): JsonText<GrantDetails> | null {
  const json = JSON.stringify(details);
  return json === '{}' ? null : json;
}

export const readDetails = (stored: JsonText<GrantDetails> | null): GrantDetails =>
  stored === null ? {} : parseJson(stored);
