import type { RequestSource } from '../http/request-source.ts';
import type { ClientType, StoredClient } from './clients/client-store.ts';
import { grantScopes } from './clients/scopes/scopes.ts';
import type { OAuth } from './oauth.ts';
import { type Parameters, resourcesIn } from './parameters.ts';
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

/** A grant type: its name, the clients that may use it, and its function. */
export interface Grant {
  readonly type: string;
  readonly clientTypes: readonly ClientType[];
  /** True if the client must authenticate. */
  readonly confidential?: boolean;
  issue(oauth: OAuth, request: GrantRequest): Promise<GrantResult>;
}

/** The scopes and audiences that the client asks for in this request. */
export const requestedAccess = ({ scopes, audiences }: OAuth, { client, parameters }: GrantRequest) => ({
  scopes: grantScopes(scopes, parameters.get('scope') ?? '', client.scopes),
  resource: audiences.read(resourcesIn(parameters)),
});
