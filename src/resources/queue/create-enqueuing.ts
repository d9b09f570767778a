import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { didYouMean } from '../declaration/check-options.ts';
import type { Enqueuing } from '../declaration/enqueuing.ts';
import type { Queue } from './queue.ts';

type EnqueueMail = (
  db: Db | Tx,
  mail: { template: string; recipient: string; data?: Record<string, unknown> },
) => Promise<void>;

/** `names`: the names of the operator's own jobs. */
export function createEnqueuing(
  { database }: Pick<Context, 'database'>,
  queue: Queue,
  enqueueMail: EnqueueMail,
  names: readonly string[],
): Enqueuing {
  const known = new Set(names);
  return {
    async later(name, data, { after, tx } = {}) {
      if (!known.has(name)) throw new Error(`no job of JOBS_DIR is named "${name}".${didYouMean(name, known)}`);
      if (after !== undefined && !(Number.isFinite(after) && after >= 0)) {
        throw new Error(`later("${name}"): after takes a number of seconds`);
      }
      return queue.enqueue(tx ?? database.db, { name, data, sealed: true, ...(after === undefined ? {} : { after }) });
    },
    mail: (template, to, data, tx) =>
      enqueueMail(tx ?? database.db, { template, recipient: to, ...(data ? { data } : {}) }),
  };
}
