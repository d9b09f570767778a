import type { RequestSource } from '../http/request-source.ts';
import type { StoredClient } from './clients/client-store.ts';
import type { DpopRequest } from './proofs/dpop.ts';

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
