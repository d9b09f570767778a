import { PostgresAdapter } from 'kysely';
import type { Migration } from '../migration.ts';
import { createRowChanges } from '../postgres/batching/count-row-changes.ts';
import { identityTables } from './first-tables/identity-tables.ts';
import { oauthTables } from './first-tables/oauth-tables.ts';
import { serviceTables } from './first-tables/service-tables.ts';

export const firstTables: Migration = {
  name: '001-first-tables',
  statements: (types) => [...identityTables(types), ...oauthTables(types), ...serviceTables(types)],
  indexes: [{ name: 'events_actor', on: 'events (actor_id, id) where actor_id is not null' }],
  async change(tx) {
    // PostgreSQL counts changed rows with triggers, to tell whether a count still holds. SQLite tells it by itself.
    if (tx.getExecutor().adapter instanceof PostgresAdapter) await createRowChanges(tx);
  },
};
