import type { FirstAdministrator } from '../../src/identity/accounts/first-password.ts';

export type Counts = readonly (readonly [caller: string, count: number])[];

/** The counts of a worker, per limit and window. */
export interface RateLimitCounts {
  readonly name: string;
  readonly windowEnds: number;
  readonly counts: Counts;
}

export type WorkerMessage =
  | { readonly is: 'ready'; readonly url: string; readonly administrator: FirstAdministrator | undefined }
  /** `explanation`: the message for the operator. */
  | { readonly is: 'failed'; readonly explanation: string }
  | { readonly is: 'alive' }
  /** A request for the sum of all metrics. */
  | { readonly is: 'sum'; readonly requestId: number }
  | { readonly is: 'figures'; readonly requestId: number; readonly figures: object[] }
  /** `requestId`: the worker waits until the primary has notified the others. */
  | { readonly is: 'counted'; readonly counted: readonly RateLimitCounts[]; readonly requestId: number | undefined };

export type PrimaryMessage =
  | { readonly is: 'drain' }
  | { readonly is: 'stop' }
  /** The worker must respond with `alive`. */
  | { readonly is: 'ping' }
  /** The number of silent workers. */
  | { readonly is: 'silent'; readonly count: number }
  | { readonly is: 'show'; readonly requestId: number }
  | { readonly is: 'response'; readonly requestId: number; readonly text: string }
  | { readonly is: 'counted'; readonly counted: readonly RateLimitCounts[] };
