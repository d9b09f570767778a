import type { FirstAdministrator } from '../../identity/accounts/first-password.ts';

export type Counts = readonly (readonly [caller: string, count: number])[];

/** The counts of a worker, per limit and window. */
export interface Counted {
  readonly name: string;
  readonly windowEnds: number;
  readonly counts: Counts;
}

export type FromWorker =
  | { readonly is: 'ready'; readonly url: string; readonly administrator: FirstAdministrator | undefined }
  /** `explanation`: the message for the operator. */
  | { readonly is: 'failed'; readonly explanation: string }
  | { readonly is: 'alive' }
  /** It asks for the sum of all figures. */
  | { readonly is: 'sum'; readonly question: number }
  | { readonly is: 'figures'; readonly question: number; readonly figures: object[] }
  /** `question`: it wants to know when the others have been told. */
  | { readonly is: 'counted'; readonly counted: readonly Counted[]; readonly question: number | undefined };

export type FromPrimary =
  | { readonly is: 'drain' }
  | { readonly is: 'stop' }
  /** To be answered by `alive`. */
  | { readonly is: 'ping' }
  /** How many workers do not answer. */
  | { readonly is: 'silent'; readonly count: number }
  | { readonly is: 'show'; readonly question: number }
  | { readonly is: 'answer'; readonly question: number; readonly text: string }
  | { readonly is: 'counted'; readonly counted: readonly Counted[] };
