import type { Logger } from 'pino';
import type { OperatorDb, OperatorTx } from '../../database/database.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { Job } from '../queue/job.ts';

/** What the handler of a job has at hand. */
export interface JobCall<D = unknown> extends Job<D>, Enqueuing {
  /** The service's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly log: Logger;
  readonly db: OperatorDb;
  /** What it queues by `later` and `mail` with this `tx`, it queues exactly when this commits. */
  transaction<T>(work: (tx: OperatorTx) => Promise<T>): Promise<T>;
  /** Adds to the audit trail. `data` never holds a secret. */
  recordEvent(type: string, data?: Readonly<Record<string, unknown>>, tx?: OperatorTx): Promise<void>;
}

/** Work that happens after the request that asked for it: `call.later('name', data)`. */
export interface JobDefinition<D = unknown> {
  /** What `later` calls it: lowercase letters, digits and dashes. */
  readonly name: string;
  /** After so many it is given up, and kept as failed. The default of 128 is about five days. */
  readonly attempts?: number;
  /** Seconds that one attempt may take. The default is 300. */
  readonly timeout?: number;
  /** Done when it returns. What it throws has it tried again, so it may run twice: `key` tells a repeat. */
  handle(call: JobCall<D>): Promise<unknown> | unknown;
}

/** A job of an operator's own: `export default defineJob<{ carId: string }>({ name, handle })`. */
export const defineJob = <D = unknown>(job: JobDefinition<D>): JobDefinition<D> => job;
