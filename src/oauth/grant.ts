import type { RequestSource } from '../http/request-source.ts';
import type { ClientType, StoredClient } from './clients/client-store.ts';
import type { OAuth } from './oauth.ts';
import type { Parameters } from './parameters.ts';
import type { StoredSession } from './sessions/store/session-store.ts';
import type { TokenClaims } from './sessions/tokens/access-token.ts';

/** A token request, with the authenticated client. */
export interface GrantRequest {
  /** With the secret that it showed; the proxies' clients are named by the settings. */
  readonly client: StoredClient & { readonly secretId?: string };
  readonly parameters: Parameters;
  readonly source: RequestSource;
  /** The thumbprint of the key that the client proved to hold (RFC 9449). */
  readonly jkt?: string | undefined;
  /** Counts the request against RATE_LIMIT as its user's or session's, where its client was not counted before. */
  readonly countAs?: ((caller: string) => void) | undefined;
}

/** The session that the tokens are for, and the scopes of this access token. */
export interface Granted extends StoredSession {
  readonly scopes: readonly string[];
  /** The scopes of the authorization request, if there was one. */
  readonly asked?: readonly string[];
  /** Of the authorization request, for the ID token. */
  readonly nonce?: string | undefined;
  /** A token that was passed on, instead of one of the session's own (RFC 8693). */
  readonly exchanged?: {
    readonly audience: readonly string[] | undefined;
    readonly claims: TokenClaims;
    readonly expiresIn: number;
    readonly type: string;
  };
  /** After a sign-in: the new value of the cookie of known browsers. */
  readonly browserCookie?: string;
}

/** One way to get tokens: it says its name, who may use it, and what it does. */
export interface Grant {
  readonly type: string;
  readonly clientTypes: readonly ClientType[];
  /** True where a client needs a secret to use it. */
  readonly confidential?: boolean;
  issue(oauth: OAuth, request: GrantRequest): Promise<Granted>;
}
