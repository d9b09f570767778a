import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../src/database/database.ts';
import type { Tables } from '../../src/database/tables/tables.ts';

export type ScheduleRow = Selectable<Tables['scheduled_jobs']>;
export type RunRow = Selectable<Tables['job_runs']>;

export const findSchedules = async (db: Db | Tx, names: readonly string[]): Promise<ScheduleRow[]> =>
  names.length === 0 ? [] : db.selectFrom('scheduled_jobs').selectAll().where('id', 'in', names).execute();

export async function saveSchedule(db: Db, row: ScheduleRow): Promise<void> {
  const { schedule, time_zone, next_run_at } = row;
  await db
    .insertInto('scheduled_jobs')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ schedule, time_zone, next_run_at }))
    .execute();
}

/** Returns true for the one instance that may queue this run. */
export async function claimRun(tx: Tx, { id, next_run_at }: ScheduleRow, next: number): Promise<boolean> {
  const claimed = await tx
    .updateTable('scheduled_jobs')
    .set({ next_run_at: next })
    .where('id', '=', id)
    .where('next_run_at', '=', next_run_at)
    .returning('id')
    .execute();
  return claimed.length > 0;
}

export const insertRun = (tx: Db | Tx, run: RunRow) => tx.insertInto('job_runs').values(run).execute();

export async function findRun(db: Db, id: string): Promise<RunRow | undefined> {
  return db.selectFrom('job_runs').selectAll().where('id', '=', id).executeTakeFirst();
}

type RunChange = Partial<Pick<RunRow, 'state' | 'attempts' | 'started_at' | 'finished_at' | 'error'>>;

export async function updateRun(db: Db | Tx, run: Pick<RunRow, 'id' | 'job_id'>, change: RunChange): Promise<void> {
  await db.updateTable('job_runs').set(change).where('id', '=', run.id).execute();
  const { state, started_at } = change;
  const lastRun = { ...(state ? { last_state: state } : {}), ...(started_at ? { last_run_at: started_at } : {}) };
  await db.updateTable('scheduled_jobs').set(lastRun).where('id', '=', run.job_id).execute();
}
