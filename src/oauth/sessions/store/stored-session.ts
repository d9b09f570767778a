import type { SessionRow } from './session-store.ts';

/** A session as it is now. No token of it may leave before it is durable. */
export interface StoredSession {
  readonly session: SessionRow;
  /** Settles when the session is on disk. In a transaction: when it is written, and the commit decides. */
  readonly durable: Promise<void>;
}
