import type { Config } from '../config/config.ts';
import type { LockAuthority } from '../database/change-as.ts';
import type { Context } from '../database/context.ts';
import type { Tx } from '../database/database.ts';
import type { KeyRing } from '../database/keys/key-ring.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { UserRow } from '../identity/accounts/user-store.ts';
import type { Credentials } from '../identity/credentials/check-credentials.ts';
import type { Mail } from '../identity/mail/mail.ts';
import type { Acr } from '../platform/proof.ts';
import type { Audiences } from './audiences.ts';
import type { ClientDirectory } from './clients/client-directory.ts';
import type { ClientType, StoredClient } from './clients/client-store.ts';
import { grantScopes, type KnownScopes } from './clients/scopes/scopes.ts';
import type { createFailedClientRecorder } from './failed-clients.ts';
import { type Parameters, resourcesIn } from './parameters.ts';
import type { ClientKeys } from './proofs/client-keys.ts';
import type { Dpop, DpopRequest } from './proofs/dpop.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { AuthorizationDetail } from './sessions/store/grant-details.ts';
import type { StoredSession, TokenSession } from './sessions/store/session-store.ts';
import type { TokenClaims } from './sessions/tokens/access-token.ts';
import type { TokenVerifier } from './sessions/verify/token-verifier.ts';

/** The services of the OAuth endpoints and of the proxies. */
export interface OAuth {
  readonly context: Context;
  readonly keys: KeyRing;
  readonly clients: ClientDirectory;
  readonly registeredClients: RegisteredClients;
  readonly extensionGrants: ExtensionGrants;
  readonly recordFailedClient: ReturnType<typeof createFailedClientRecorder>;
  readonly clientKeys: ClientKeys;
  readonly dpop: Dpop;
  readonly sessions: Sessions;
  readonly verifier: TokenVerifier;
  readonly scopes: KnownScopes;
  readonly audiences: Audiences;
  /** Maps each scope of an imported service to scopes of this service. Read only if a request names an unknown scope. */
  legacyScopes(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The highest level that a user can sign in at. */
  highestAcr(userId: string): Promise<Acr>;
  readonly lockAuthority: LockAuthority;
  readonly mail: Mail;
  /** Returns the user with this login and password. Throws the error response if they are wrong. */
  checkCredentials(credentials: Credentials): Promise<UserRow>;
  /** In the transaction that opens a user's session: notifies the owner of a sign-in from an unknown browser. */
  notifyOfLogin(tx: Tx, login: { readonly userId: string; readonly source: RequestSource }): Promise<void>;
}

/** A request that authenticates a client. */
export interface ClientRequest {
  readonly authorization: string | undefined;
  readonly body: unknown;
  /** The request itself, if it may carry a DPoP proof. */
  readonly dpopRequest?: DpopRequest | undefined;
  readonly source: RequestSource;
  /** Counts the request against the RATE_LIMIT of its client. Throws if the limit is exceeded. */
  readonly countRequest?: ((caller: string) => void) | undefined;
  /** Called with the authenticated client, before the request is checked. */
  readonly onAuthenticated?: ((client: StoredClient) => void) | undefined;
}

/** A token request, with the authenticated client. */
export interface GrantRequest {
  /** With the id of its secret. Proxied clients have none: the settings name them. */
  readonly client: StoredClient & { readonly secretId?: string };
  readonly parameters: Parameters;
  readonly source: RequestSource;
  /** The thumbprint of the client's DPoP key (RFC 9449). */
  readonly jkt?: string | undefined;
  /** The authorization details that the request names (RFC 9396 6.1). */
  readonly requestedDetails?: readonly AuthorizationDetail[] | undefined;
  /** Counts the request against the RATE_LIMIT of its user or session, unless its client was counted. */
  readonly countRequest?: ((caller: string) => void) | undefined;
}

/** The session of the tokens, and the scopes of this access token. */
export interface GrantResult extends StoredSession<TokenSession> {
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
  /** False if the settings disable it. */
  isEnabled?(config: Config): boolean;
  issue(oauth: OAuth, request: GrantRequest): Promise<GrantResult>;
}

/** The grants that extensions implement. */
export interface ExtensionGrants {
  /** RFC 8628 3.4 and 3.5: the session that the user has opened for the device. */
  readonly redeemDeviceCode: Grant['issue'];
  readonly exchangeToken: Grant['issue'];
}

/** The scopes and audiences that the client asks for in this request. */
export const requestedAccess = ({ scopes, audiences }: OAuth, { client, parameters }: GrantRequest) => ({
  scopes: grantScopes(scopes, parameters.get('scope') ?? '', client.scopes),
  resource: audiences.read(resourcesIn(parameters)),
});

/** Applications that registered themselves (RFC 7591), or whose `client_id` is the address of a client document. */
export interface RegisteredClients {
  /**
   * Fetches the client document at this address and stores it as a client, unless the stored one is fresh. Does nothing if the id is not the
   * address of a client document, or if client documents are disabled.
   */
  refreshDocument(id: string, source: RequestSource): Promise<void>;
  /** Records the use of a registered client, so that it is not pruned. A failure is only logged. */
  recordUse(client: StoredClient): Promise<void>;
  /** Ends a leaked registration token. */
  reportToken(report: { readonly token: string; readonly source: RequestSource }): Promise<void>;
}
