export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

/** What a load brought to light. Times are milliseconds. */
export interface Result {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers of another status than expected, and connections that broke. */
  readonly failures: number;
}
