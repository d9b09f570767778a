import { sql } from 'kysely';
import type { Db } from '../../../src/database/database.ts';

export async function beginPass(db: Db, now: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const last = await tx
      .selectFrom('legacy_passes')
      .select((eb) => eb.fn.max('id').as('id'))
      .executeTakeFirst();
    const id = Number(last?.id ?? 0) + 1;
    // This pass repeats an interrupted one.
    await tx.updateTable('legacy_passes').set({ finished_at: now }).where('finished_at', 'is', null).execute();
    await tx.insertInto('legacy_passes').values({ id, started_at: now, finished_at: null, report: null }).execute();
    return id;
  });
}

export async function finishPass(db: Db, id: number, now: number, report: string): Promise<void> {
  await db.updateTable('legacy_passes').set({ finished_at: now, report }).where('id', '=', id).execute();
}

/** The reports of finished passes. */
export async function listReports(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('legacy_passes').select('report').where('report', 'is not', null).execute();
  return rows.flatMap(({ report }) => report ?? []);
}

/** The number of imported authenticator apps. */
export const countFactors = (db: Db): Promise<number> =>
  countOf(db.selectFrom('legacy_ids').select(sql`count(*)`.as('n')).where('source', 'like', '%.two_factor_secret'));

const countOf = async (query: { execute(): Promise<{ n: unknown }[]> }) => Number((await query.execute())[0]?.n ?? 0);

export const countKnown = (db: Db, source: string): Promise<number> =>
  countOf(db.selectFrom('legacy_ids').select(sql`count(*)`.as('n')).where('source', '=', source));

export const countUnseen = (db: Db, source: string, pass: number, except: string): Promise<number> =>
  countOf(
    db
      .selectFrom('legacy_ids')
      .select(sql`count(*)`.as('n'))
      .where('source', '=', source)
      .where('pass', '<', pass)
      .where('fingerprint', '!=', except),
  );
