import type { OperatorTx } from '../../database/database.ts';

export interface LaterOptions {
  /** Not before so many seconds. */
  readonly after?: number;
  /** Exactly when this transaction commits. Hooks inside of one need not say it. */
  readonly tx?: OperatorTx;
}

/** Work that must happen after this: it waits in the database until it is done, however often that takes. */
export interface Enqueuing {
  /** Has a job of `JOBS_DIR` done, as soon as what is written here is committed. Returns its key. `data` is sealed. */
  later(name: string, data?: unknown, options?: LaterOptions): Promise<string>;
  /** Sends a mail by a template of `VIEWS_DIR/mail`, in the same way. */
  mail(template: string, to: string, data?: Readonly<Record<string, unknown>>, tx?: OperatorTx): Promise<void>;
}
