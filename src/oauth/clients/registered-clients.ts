import type { RequestSource } from '../../http/request-source.ts';
import type { StoredClient } from './client-store.ts';

/** Applications that registered themselves (RFC 7591), or whose `client_id` is the address of a client document. */
export interface RegisteredClients {
  /** Finds a client. Fetches its client document, if it has one, unless the stored one is fresh. */
  find(id: string, source: RequestSource): Promise<StoredClient | undefined>;
  /** Records the use of a registered client, so that it is not pruned. A failure does no harm. */
  recordUse(client: StoredClient): Promise<void>;
  /** Ends a leaked registration token. */
  reportToken(report: { readonly token: string; readonly source: RequestSource }): Promise<void>;
}
