import type { RequestSource } from '../http/request-source.ts';
import type { StoredClient } from './clients/client-store.ts';
import type { Parameters } from './parameters.ts';
import type { StoredSession } from './sessions/store/session-store.ts';
import type { TokenClaims } from './sessions/tokens/access-token.ts';

/** A token request, with the authenticated client. */
export interface GrantRequest {
  /** With the id of its secret. Proxied clients have none: the settings name them. */
  readonly client: StoredClient & { readonly secretId?: string };
  readonly parameters: Parameters;
  readonly source: RequestSource;
  /** The thumbprint of the client's DPoP key (RFC 9449). */
  readonly jkt?: string | undefined;
  /** Counts the request against the RATE_LIMIT of its user or session, unless its client was counted. */
  readonly countRequest?: ((caller: string) => void) | undefined;
}

/** The session of the tokens, and the scopes of this access token. */
export interface GrantResult extends StoredSession {
  readonly scopes: readonly string[];
  /** The scopes of the authorization request, if there was one. */
  readonly requestedScopes?: readonly string[];
  /** The nonce of the authorization request, for the ID token. */
  readonly nonce?: string | undefined;
  /** The exchanged token, in place of a token of the session (RFC 8693). */
  readonly exchanged?: {
    readonly audience: readonly string[] | undefined;
    readonly claims: TokenClaims;
    readonly expiresIn: number;
    readonly type: string;
  };
  /** After a sign-in: the new value of the cookie for known browsers. */
  readonly browserCookie?: string;
}
