import type { Selectable } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { Tables } from '../../database/tables/tables.ts';

type ProviderState = Selectable<Tables['provider_states']>;

/** The last sign-in that succeeded, or failed and why. */
export async function noteProviderState(db: Db, state: Partial<ProviderState> & { name: string }): Promise<void> {
  const { name, ...changes } = state;
  const row = { name, succeeded_at: null, failed_at: null, failure: null, ...changes };
  await db
    .insertInto('provider_states')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changes))
    .execute();
}
