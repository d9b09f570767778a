export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

/** The result of a load. Times are in milliseconds. */
export interface Result {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Responses with an unexpected status, and broken connections. */
  readonly failures: number;
}
