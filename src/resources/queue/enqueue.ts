import type { Context } from '../../database/context.ts';
import type { Db, Tx } from '../../database/database.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { type Sealing, sealData } from './attempt.ts';
import type { NewJob } from './job.ts';
import { insertJobs, type JobRow } from './job-store.ts';

const maxBytes = 1024 * 1024;
const batchSize = 500;

export async function enqueueAll(
  { database, now }: Pick<Context, 'database' | 'now'>,
  db: Db | Tx,
  jobs: readonly NewJob[],
  sealing?: Sealing,
): Promise<string[]> {
  const at = now();
  const rows = jobs.map((job) => rowOf(job, at, sealing));
  for (let from = 0; from < rows.length; from += batchSize) await insertJobs(db, rows.slice(from, from + batchSize));
  if (jobs.some(({ after = 0 }) => after <= 0)) await database.bus.wakeQueues(db);
  return rows.map(({ id }) => id);
}

function rowOf({ name, data = null, subject, after = 0, sealed }: NewJob, at: number, sealing?: Sealing): JobRow {
  const id = uuidv7(at);
  const json = JSON.stringify(data) ?? 'null';
  if (json.length > maxBytes) throw new Error(`the data of a job ${name} is longer than 1 MiB`);
  if (sealed && !sealing) throw new Error(`the data of a job ${name} cannot be sealed here`);
  return {
    id,
    name,
    subject: subject ?? null,
    data: sealed && sealing ? sealData(sealing, id, json) : json,
    attempts: 0,
    next_attempt_at: at + Math.round(after * 1000),
    lease: null,
    leased_until: null,
    failed_at: null,
    last_error: null,
    created_at: at,
  };
}
