import { sql } from 'kysely';
import { newHistoryId } from '../change-log/new-history.ts';
import { createTables } from '../columns.ts';
import { isPostgres } from '../locks/revocation-locks.ts';
import { columnTypes, type Migration } from '../migration.ts';
import { createRowChanges } from '../postgres/batching/count-row-changes.ts';
import { identityTables } from './first-tables/identity-tables.ts';
import { oauthTables } from './first-tables/oauth-tables.ts';
import { changeLogTables, serviceTables } from './first-tables/service-tables.ts';
import { signInTables } from './first-tables/sign-in-tables.ts';

export const firstTables: Migration = {
  name: '001-first-tables',
  statements: (types) =>
    [identityTables, oauthTables, signInTables, serviceTables].flatMap((tables) => createTables(tables, types)),
  indexes: [
    { name: 'events_actor', on: 'events (actor_id, id) where actor_id is not null' },
    { name: 'sessions_token_hash', on: 'sessions (token_hash) where token_hash is not null' },
    { name: 'client_secrets_value_hash', on: 'client_secrets (value_hash) where value_hash is not null' },
  ],
  async change(tx) {
    if (isPostgres(tx)) {
      // PostgreSQL counts changed rows with triggers, to show whether a cached count is still valid. SQLite has its own counter.
      await createRowChanges(tx);
      await sql`create sequence change_log_position`.execute(tx);
    }
    const types = columnTypes(isPostgres(tx) ? 'postgres' : 'sqlite');
    for (const statement of createTables(changeLogTables, types)) await sql.raw(statement).execute(tx);
    await tx.insertInto('change_actor').values({ id: 1, actor: null }).execute();
    await tx.insertInto('change_history').values({ id: newHistoryId() }).execute();
  },
};
