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
import type { RegisteredClients } from './clients/registered-clients.ts';
import type { KnownScopes } from './clients/scopes/scopes.ts';
import type { Devices } from './devices.ts';
import type { createFailedClientRecorder } from './failed-clients.ts';
import type { ClientKeys } from './proofs/client-keys.ts';
import type { Dpop } from './proofs/dpop.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { TokenVerifier } from './sessions/verify/token-verifier.ts';

/** The services of the OAuth endpoints and of the proxies. */
export interface OAuth {
  readonly context: Context;
  readonly keys: KeyRing;
  readonly clients: ClientDirectory;
  readonly registeredClients: RegisteredClients;
  readonly devices: Devices;
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
