import type { Tx } from '../../database/database.ts';
import type { JobRow } from './job-store.ts';

type QueuedRun = Pick<JobRow, 'id' | 'name'>;

/** Whether another run of this scheduled job is open. Locks the schedule until the commit, as the scheduler does before it queues a run. */
export async function hasOtherOpenRun(tx: Tx, { id, name, subject }: QueuedRun & Pick<JobRow, 'subject'>) {
  await tx.selectFrom('scheduled_jobs').select('id').where('id', '=', name).forUpdate().execute();
  const rows = await tx
    .selectFrom('queued_jobs')
    .select('id')
    .where('name', '=', name)
    .where('subject', '=', subject)
    .where('failed_at', 'is', null)
    .where('id', '!=', id)
    .limit(1)
    .execute();
  return rows.length > 0;
}

async function changeRun(
  tx: Tx,
  { id, name }: QueuedRun,
  before: readonly string[],
  after: { state: string; finished_at: number | null; error?: string },
): Promise<void> {
  const changed = await tx
    .updateTable('job_runs')
    .set(after)
    .where('id', '=', id)
    .where('state', 'in', before)
    .returning('id')
    .execute();
  if (changed.length === 0) return;
  await tx.updateTable('scheduled_jobs').set({ last_state: after.state }).where('id', '=', name).execute();
}

/** Records that the queued job of a run was deleted. A run that has already failed stays as it is. */
export const failRun = (tx: Tx, run: QueuedRun, now: number): Promise<void> =>
  changeRun(tx, run, ['waiting', 'running'], {
    state: 'failed',
    finished_at: now,
    error: 'an administrator deleted the queued job',
  });

export const reopenRun = (tx: Tx, run: QueuedRun): Promise<void> =>
  changeRun(tx, run, ['failed'], { state: 'waiting', finished_at: null });
