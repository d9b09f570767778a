/** On whose behalf a read runs, for reads that may be expensive. */
export interface Reader {
  /** Whose reads count together. */
  readonly caller: string;
  /** Calls back when nobody waits for the answer any more; returns how not to be called. */
  whenGone(gone: () => void): () => void;
}

/** The service itself: background work, and what no request asked for. */
export const ownReader: Reader = { caller: '', whenGone: () => () => undefined };
