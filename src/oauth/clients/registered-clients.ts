import type { RequestSource } from '../../http/request-source.ts';
import type { StoredClient } from './client-store.ts';

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
