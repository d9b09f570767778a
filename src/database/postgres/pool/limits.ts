/** Milliseconds. */
export interface Limits {
  /** The time limit of a statement outside transactions, which is nearly always a read. The server enforces it. */
  readonly readMs: number;
  /** The time limit of a statement in a transaction. */
  readonly transactionStatementMs: number;
  /** After this time without a response, this process gives up, even if the connection is still open. */
  readonly timeoutMs: number;
  /** The longest pause between two statements of a transaction. After that, its instance hangs while others wait for its locks. */
  readonly idleInTransactionMs: number;
}

/** The server enforces its limit first. Its response may take this much longer. */
export const graceMs = 5000;

export function limitsOf(readSeconds: number): Limits {
  const readMs = readSeconds * 1000;
  const transactionStatementMs = Math.max(10_000, readMs);
  return {
    readMs,
    transactionStatementMs,
    timeoutMs: transactionStatementMs + graceMs,
    idleInTransactionMs: transactionStatementMs + graceMs,
  };
}
