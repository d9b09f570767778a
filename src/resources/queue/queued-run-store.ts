import type { Db, Tx } from '../../database/database.ts';
import { conflict } from '../../platform/errors.ts';
import type { JobRow } from './job-store.ts';

type QueuedRun = Pick<JobRow, 'id' | 'name'>;

export const runNotEnded = () => conflict('A run of this job has not ended yet.', 'run_not_ended');

/**
 * Whether a run of a scheduled job, other than `except`, is open. Locks the schedule until the commit, so that no two transactions queue runs
 * that overlap.
 */
export async function hasOpenRun(tx: Tx, job: string, except = ''): Promise<boolean> {
  await tx.selectFrom('scheduled_jobs').select('id').where('id', '=', job).forUpdate().execute();
  const rows = await tx
    .selectFrom('job_runs')
    .innerJoin('queued_jobs', 'queued_jobs.id', 'job_runs.id')
    .select('job_runs.id')
    .where('job_runs.job_id', '=', job)
    .where('queued_jobs.failed_at', 'is', null)
    .where('job_runs.id', '!=', except)
    .limit(1)
    .execute();
  return rows.length > 0;
}

async function changeRun(
  db: Db | Tx,
  { id, name }: QueuedRun,
  before: readonly string[],
  after: { state: string; finished_at: number | null; error?: string },
): Promise<void> {
  const changed = await db
    .updateTable('job_runs')
    .set(after)
    .where('id', '=', id)
    .where('state', 'in', before)
    .returning('id')
    .execute();
  if (changed.length === 0) return;
  await db.updateTable('scheduled_jobs').set({ last_state: after.state }).where('id', '=', name).execute();
}

/** Records that a run ended without a result. A run that has already ended stays as it is. */
export const failRun = (db: Db | Tx, run: QueuedRun, error: string, now: number): Promise<void> =>
  changeRun(db, run, ['waiting', 'running'], { state: 'failed', finished_at: now, error });

export const reopenRun = (tx: Tx, run: QueuedRun): Promise<void> =>
  changeRun(tx, run, ['failed'], { state: 'waiting', finished_at: null });
