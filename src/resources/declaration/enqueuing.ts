import type { OperatorTx } from '../../database/database.ts';

export interface LaterOptions {
  /** Not before so many seconds. */
  readonly after?: number;
  /** Queues it when this transaction commits. Hooks in a transaction need not pass it. */
  readonly tx?: OperatorTx;
}

/** Queues work that must happen. It waits in the database until it is done. */
export interface Enqueuing {
  /** Queues a job of `JOBS_DIR`, which starts after the commit. Returns its key. `data` is sealed. */
  later(name: string, data?: unknown, options?: LaterOptions): Promise<string>;
  /** Sends a mail by a template of `VIEWS_DIR/mail`, in the same way. */
  mail(template: string, to: string, data?: Readonly<Record<string, unknown>>, tx?: OperatorTx): Promise<void>;
}
