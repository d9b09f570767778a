import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../database/context.ts';
import { pruneInBatches } from '../../../database/prune-in-batches.ts';

/** Deletes expired sessions, and returns their number. */
export async function pruneExpired(context: Context): Promise<number> {
  const { config, database } = context;
  const { db, engine } = database;
  const now = context.now();
  /** A refresh can move the end of a session, but to no later time than this. */
  const latestEnd = now + config.refreshTokenTtl * 1000;
  const execute = async (statement: RawBuilder<unknown>) => Number((await statement.execute(db)).numAffectedRows);
  // Locked rows are in use, and wait for the next pruning.
  const unlocked = (sessions: RawBuilder<unknown>, lock: 'update' | 'no key update') =>
    engine === 'postgres' ? sql`${sessions} for ${sql.raw(lock)} skip locked` : sessions;

  // Imported sessions, and sessions from before REFRESH_TOKEN_TTL was shortened, may end earlier after a refresh.
  await pruneInBatches(context, (limit) => {
    const late = sql`select id from sessions where prune_at > ${latestEnd} limit ${limit}`;
    return execute(sql`update sessions set prune_at = ${latestEnd} where id in (${unlocked(late, 'no key update')})`);
  });
  let total = 0;
  await pruneInBatches(context, async (limit) => {
    const due = sql`select id from sessions where prune_at < ${now} order by prune_at limit ${limit}`;
    const deleted = await execute(
      sql`delete from sessions where id in (${unlocked(due, 'update')}) and expires_at < ${now}`,
    );
    const postponed = await execute(sql`update sessions
      set prune_at = case when expires_at < ${latestEnd} then expires_at else ${latestEnd} end
      where id in (${unlocked(due, 'no key update')}) and expires_at >= ${now}`);
    total += deleted;
    return deleted + postponed;
  });
  return total;
}
