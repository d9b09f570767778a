import { sql } from 'kysely';
import { compiledQuery } from '../../../database/compiled-query.ts';
import type { Database, Tx } from '../../../database/database.ts';
import { exclusiveLock, isPostgres } from '../../../database/locks/revocation-locks.ts';

interface SessionGeneration {
  readonly id: string;
  readonly generation: number;
  readonly now: number;
}

const updateUsedGeneration = compiledQuery((db, { id, generation, now }: SessionGeneration) =>
  db
    .updateTable('sessions')
    .set({ used_generation: generation, used_at: now })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where((eb) => eb.or([eb('used_generation', 'is', null), eb('used_generation', '<', generation)]))
    .$if(isPostgres(db), (update) => update.where(exclusiveLock(sql.ref('id')))),
);

/** The first call sets the time. A session with a newer generation does not change. */
export const setUsedGeneration = async (database: Database, used: SessionGeneration): Promise<void> =>
  (await updateUsedGeneration.write(database, used)).durable;

/** True once for each generation. */
export async function setRetriedGeneration(tx: Tx, { id, generation }: Omit<SessionGeneration, 'now'>) {
  const marked = await tx
    .updateTable('sessions')
    .set({ retried_generation: generation })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where((eb) => eb.or([eb('retried_generation', 'is', null), eb('retried_generation', '<', generation)]))
    .returning('id')
    .executeTakeFirst();
  return marked !== undefined;
}
