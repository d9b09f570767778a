import type { Db } from '../../src/database/database.ts';

export async function countFailures(db: Db, name: string, subject: string | null): Promise<number> {
  const { failures } = await db
    .selectFrom('queued_jobs')
    .select((eb) => eb.fn.countAll().as('failures'))
    .where('name', '=', name)
    .where('subject', '=', subject)
    .where('failed_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(failures);
}

/** Deletes failed jobs with this subject, because a later one succeeded. */
export async function forgetFailures(db: Db, name: string, subject: string | null): Promise<void> {
  await db
    .deleteFrom('queued_jobs')
    .where('name', '=', name)
    .where('subject', '=', subject)
    .where('failed_at', 'is not', null)
    .execute();
}
