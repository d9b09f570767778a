import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

export type JobRow = Selectable<Tables['queued_jobs']>;

/** A running attempt. An instance that has lost the lease writes nothing. */
export interface Lease {
  readonly id: string;
  readonly lease: string;
}

export const insertJobs = (db: Db | Tx, rows: readonly JobRow[]) => db.insertInto('queued_jobs').values(rows).execute();

const dueJobs = (db: Db, names: readonly string[], now: number) =>
  db
    .selectFrom('queued_jobs')
    .select('id')
    .where('name', 'in', names)
    .where('failed_at', 'is', null)
    .where('next_attempt_at', '<=', now)
    .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]));

/** A read without a lock, because usually no job is due. */
export async function hasDueJobs(db: Db, names: readonly string[], now: number): Promise<boolean> {
  return (await dueJobs(db, names, now).limit(1).execute()).length > 0;
}

export interface LeaseRequest {
  readonly name: string;
  readonly lease: string;
  readonly now: number;
  readonly until: number;
  readonly limit: number;
  /** Lanes at their limit. */
  readonly except?: { readonly subjects: readonly string[]; readonly hosts: readonly string[] };
}

/** Leases due jobs of one name until `until`, and counts the attempt. */
export function leaseDueJobs(db: Db, { name, lease, now, until, limit, except }: LeaseRequest): Promise<JobRow[]> {
  let query = dueJobs(db, [name], now).limit(limit);
  // New jobs come before jobs that have failed.
  if (except) query = query.orderBy('attempts');
  query = query.orderBy('next_attempt_at');
  if (except?.subjects.length) query = query.where('subject', 'not in', except.subjects);
  for (const host of except?.hosts ?? []) query = query.where('subject', 'not like', `%@${host}`);
  return (
    db
      .updateTable('queued_jobs')
      .set((eb) => ({ lease, leased_until: until, attempts: eb('attempts', '+', 1) }))
      // Concurrent instances lease different jobs without waiting.
      .where('id', 'in', query.forUpdate().skipLocked())
      .returningAll()
      .execute()
  );
}

export async function renewLeases(db: Db, leases: readonly string[], until: number): Promise<void> {
  await db.updateTable('queued_jobs').set({ leased_until: until }).where('lease', 'in', leases).execute();
}

export async function deleteLeased(db: Db, { id, lease }: Lease): Promise<void> {
  await db.deleteFrom('queued_jobs').where('id', '=', id).where('lease', '=', lease).execute();
}

/** Returns false if another instance has the lease now. */
async function endLease(db: Db | Tx, { id, lease }: Lease, changes: Partial<JobRow>): Promise<boolean> {
  const rows = await db
    .updateTable('queued_jobs')
    .set({ ...changes, lease: null, leased_until: null })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .returning('id')
    .execute();
  return rows.length > 0;
}

export const postponeJob = (db: Db, lease: Lease, until: number, error: string | null): Promise<boolean> =>
  endLease(db, lease, { next_attempt_at: until, last_error: error });

/** The service stops: the attempt does not count. */
export const releaseJob = (db: Db, job: Lease & Pick<JobRow, 'attempts'>, now: number): Promise<boolean> =>
  endLease(db, job, { next_attempt_at: now, attempts: job.attempts - 1, last_error: 'the service stopped' });

export const failJob = (
  db: Db | Tx,
  job: Lease & Pick<JobRow, 'attempts'>,
  now: number,
  error: string,
): Promise<boolean> => endLease(db, job, { failed_at: now, attempts: job.attempts, last_error: error });

export async function retryJob(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .updateTable('queued_jobs')
    .set({ failed_at: null, attempts: 0, next_attempt_at: now })
    .where('id', '=', id)
    .execute();
}

export const deleteJob = (tx: Tx, id: string) => tx.deleteFrom('queued_jobs').where('id', '=', id).execute();

export async function deleteJobsOfSubject(tx: Tx, name: string, subject: string): Promise<void> {
  await tx.deleteFrom('queued_jobs').where('name', '=', name).where('subject', '=', subject).execute();
}

export const listJobs = (db: Db): Promise<JobRow[]> =>
  db.selectFrom('queued_jobs').selectAll().orderBy('created_at').orderBy('id').execute();

/** `waiting`: due, and not running. */
export const jobStates = ['waiting', 'running', 'scheduled', 'failed'] as const;

export const countJobs = (db: Db, now: number) =>
  db
    .selectFrom('queued_jobs')
    .select((eb) => [
      'name',
      eb
        .case()
        .when('failed_at', 'is not', null)
        .then('failed' as const)
        .when('leased_until', '>', now)
        .then('running' as const)
        .when('next_attempt_at', '<=', now)
        .then('waiting' as const)
        .else('scheduled' as const)
        .end()
        .as('state'),
      eb.fn.countAll().as('count'),
    ])
    .groupBy(['name', 'state'])
    .execute();
