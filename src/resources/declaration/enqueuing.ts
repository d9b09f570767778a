import type { OperatorTx } from '../../database/database.ts';

export interface LaterOptions {
  /** The delay in seconds. */
  readonly after?: number;
  /** Queues the work when this transaction commits. Hooks inside a transaction need not pass it. */
  readonly tx?: OperatorTx;
}

/** Queues work that must happen. The work stays in the database until it is done. */
export interface Enqueuing {
  /** Queues a job of `JOBS_DIR`, which starts after the commit. Returns its key. `data` is encrypted. */
  later(name: string, data?: unknown, options?: LaterOptions): Promise<string>;
  /** Queues a mail that uses a template of `VIEWS_DIR/mail`. */
  mail(template: string, to: string, data?: Readonly<Record<string, unknown>>, tx?: OperatorTx): Promise<void>;
}
