import type { Logger } from 'pino';
import type { OperatorDb, OperatorTx } from '../../src/database/database.ts';
import type { Enqueuing } from '../../src/resources/declaration/enqueuing.ts';
import type { ServiceResourceOf } from '../../src/resources/declaration/resource-calls.ts';
import type { Job } from '../../src/resources/queue/job.ts';

export interface JobCall<D = unknown> extends Job<D>, Enqueuing {
  /** The service's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly log: Logger;
  /** Reads and writes resources as the API does, with the rights of the service: `resource('invoices').list()`. */
  readonly resource: ServiceResourceOf;
  readonly db: OperatorDb;
  /** Runs work in a transaction. `later` and `mail` with this `tx` queue their work when it commits. */
  transaction<T>(work: (tx: OperatorTx) => Promise<T>): Promise<T>;
  /** Adds an event to the audit trail. `data` must not contain a secret. */
  recordEvent(type: string, data?: Readonly<Record<string, unknown>>, tx?: OperatorTx): Promise<void>;
}

/** After an error, another attempt follows. So the work may run twice, with the same `key`. */
type Work<D> = (call: JobCall<D>) => Promise<unknown> | unknown;

/** Work that runs after a request (`call.later('name', data)`) or by a schedule. */
export interface JobDefinition<D = unknown> {
  /** The name for `later`: lowercase letters, digits and dashes. */
  readonly name: string;
  /** The schedule: minute, hour, day, month and weekday, such as `0 3 * * *` for every night at three. */
  readonly schedule?: string;
  /** The time zone of the schedule, such as `Europe/Berlin`. The default is UTC. */
  readonly timeZone?: string;
  /**
   * The maximum number of attempts. After them, the job is kept as failed. The default of 128 takes about five days. With a schedule the
   * default is 10.
   */
  readonly attempts?: number;
  /** The time limit of one attempt in seconds. The default is 300. */
  readonly timeout?: number;
  readonly run?: Work<D>;
  /** Another name for `run`. */
  readonly handle?: Work<D>;
}

type Runs<D> = { readonly run: Work<D> } | { readonly handle: Work<D> };

/** A job of the operator: `export default defineJob<{ carId: string }>({ name, run })`. */
export const defineJob = <D = unknown>(job: JobDefinition<D> & Runs<D>): JobDefinition<D> => job;
