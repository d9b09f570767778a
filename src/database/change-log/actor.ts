import { sql } from 'kysely';
import type { Caller } from '../../platform/caller.ts';
import { compiledQuery } from '../compiled-query.ts';
import type { Engine, Tx } from '../database.ts';

/** On PostgreSQL: a setting of the transaction. The triggers read it. */
export const actorSetting = 'gatehouse.actor';

export const actorJson = ({ userId, clientId }: Pick<Caller, 'userId' | 'clientId'>): string =>
  JSON.stringify({ user_id: userId, client_id: clientId });

const setActor = compiledQuery((db, { actor }: { actor: string | null }) =>
  db.updateTable('change_actor').set({ actor }).where('id', '=', 1),
);

/** On SQLite: makes the caller known to the triggers while `work` runs. SQLite runs one transaction at a time. */
export async function withActor<T>(tx: Tx, caller: Caller, work: () => Promise<T>): Promise<T> {
  if (caller.userId === null && caller.clientId === null) return work();
  await setActor.run(tx, { actor: actorJson(caller) });
  const result = await work();
  await setActor.run(tx, { actor: null });
  return result;
}

/** Sets the caller for the triggers for the rest of the transaction, or clears it. */
export async function setActorForTransaction(engine: Engine, tx: Tx, { userId, clientId }: Caller): Promise<void> {
  const actor = userId === null && clientId === null ? null : actorJson({ userId, clientId });
  if (engine === 'sqlite') await setActor.run(tx, { actor });
  else await sql`select set_config(${actorSetting}, ${actor ?? ''}, true)`.execute(tx);
}
